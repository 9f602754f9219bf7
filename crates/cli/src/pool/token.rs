//! `outhaul token`: a user's identity in a pool.

use crate::address::credentials;
use crate::address::destination::PoolOption;
use crate::error::Error;
use outhaul_pool::http::joining;
use outhaul_pool::identity::credentials::Proof;
use outhaul_pool::identity::token::unverified;
use outhaul_pool::identity::{Grant, WallTime};
use std::process::ExitCode;

/// Join a pool with a token; show or renew your identity there.
#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Become the user that a join token names.
    Join {
        /// Token that `outhaul pool token user` printed.
        token: String,
        #[command(flatten)]
        pool: PoolOption,
    },
    /// Show who you are, what you may have, and until when.
    Show {
        #[command(flatten)]
        pool: PoolOption,
        /// Print the token itself, for the pool's web page or for Prometheus. Any program that has
        /// it can act as you.
        #[arg(long)]
        raw: bool,
        /// Print your identity as JSON.
        #[arg(long, conflicts_with = "raw")]
        json: bool,
    },
    /// Renew the token. Commands do so by themselves while it is valid.
    Renew {
        #[command(flatten)]
        pool: PoolOption,
    },
    /// Delete the token from this machine.
    Forget {
        #[command(flatten)]
        pool: PoolOption,
    },
}

/// Runs `outhaul token`.
pub fn execute(arguments: Arguments) -> Result<ExitCode, Error> {
    match arguments.what {
        What::Join { token, pool } => {
            let pool = pool.address()?;
            if !pool.is_secure() {
                return Err(Error::Identity(format!(
                    "{pool} has no identity; a pool that you can join has a URL https://HOST:PORT"
                )));
            }
            let (grant, credentials) = joining::join(&pool.to_string(), &token)?;
            let Grant::JoinUser(user) = grant else {
                return Err(Error::Identity(
                    "the token is for a node: start it there with `outhaul serve --join TOKEN`"
                        .into(),
                ));
            };
            credentials.save(&credentials::user_folder(&pool)?)?;
            println!("outhaul: {} in {pool}", user.name);
        }
        What::Show { pool, raw, json } => show(pool, raw, json)?,
        What::Renew { pool } => {
            let pool = pool.address()?;
            let credentials =
                credentials::of_user(&pool)?.ok_or_else(|| Error::NotJoined(pool.to_string()))?;
            joining::renew(&pool.to_string(), &credentials)?
                .save(&credentials::user_folder(&pool)?)?;
        }
        What::Forget { pool } => {
            let folder = credentials::user_folder(&pool.address()?)?;
            std::fs::remove_dir_all(&folder).map_err(|error| Error::Io {
                doing: format!("cannot remove {}", folder.display()),
                error,
            })?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(pool: PoolOption, raw: bool, json: bool) -> Result<(), Error> {
    let pool = pool.address()?;
    let credentials =
        credentials::of_user(&pool)?.ok_or_else(|| Error::NotJoined(pool.to_string()))?;
    let Proof::Token(token) = &credentials.proof else {
        return Err(Error::NotJoined(pool.to_string()));
    };
    let claims = unverified(token)?;
    let Grant::User(user) = &claims.grant else { return Err(Error::NotJoined(pool.to_string())) };
    if raw {
        println!("{token}");
        return Ok(());
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&claims).unwrap_or_default());
        return Ok(());
    }
    let left_s = claims.expires_s.saturating_sub(WallTime::of_machine().now_s());
    let group = user.group.as_ref().map_or(String::new(), |group| format!(" of {group}"));
    let role = if user.operator { ", operator" } else { "" };
    println!("{}{group}{role} in {pool}", user.name);
    println!("limits: {}", crate::pool::operator_commands::limits(&user.limits));
    println!("priority: up to {}", user.priority_max);
    println!("the token lives {} h {} min more", left_s / 3600, left_s / 60 % 60);
    Ok(())
}
