//! `outhaul token`: a user's identity in a pool.

use crate::address::destination::PoolOption;
use crate::address::{context, credentials};
use crate::error::Error;
use crate::local_time::time_of_day;
use outhaul_pool::http::joining;
use outhaul_pool::identity::credentials::Proof;
use outhaul_pool::identity::token::unverified;
use outhaul_pool::identity::{Grant, WallTime};
use outhaul_pool::model::quota::Quota;
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
            // Before joining, because the token is good once.
            let Grant::JoinUser(user) = unverified(&token)?.grant else {
                return Err(Error::Identity(
                    "the token is for a node: start it there with `outhaul serve --join TOKEN`"
                        .into(),
                ));
            };
            let (_, credentials) = joining::join(&pool.to_string(), &token)?;
            credentials.save(&credentials::new_user_folder(&pool)?)?;
            println!("outhaul: you are {} in {pool}", user.name);
            println!("{}", context::add(&pool)?);
        }
        What::Show { pool, raw, json } => show(pool, raw, json)?,
        What::Renew { pool } => {
            let pool = pool.address()?;
            let credentials =
                credentials::of_user(&pool)?.ok_or_else(|| Error::NotJoined(pool.to_string()))?;
            let renewed = joining::renew(&pool.to_string(), &credentials)?;
            renewed.save(&credentials::user_folder(&pool)?)?;
            if let Proof::Token(token) = &renewed.proof {
                let expires_ms = unverified(token)?.expires_s.saturating_mul(1000);
                println!("outhaul: the token is valid until {}", time_of_day(expires_ms));
            }
        }
        What::Forget { pool } => {
            let pool = pool.address()?;
            let (folder, named) = (credentials::user_folder(&pool)?, pool.to_string());
            std::fs::remove_dir_all(&folder).map_err(|error| Error::Io {
                doing: format!("cannot remove {}", folder.display()),
                error,
            })?;
            println!("outhaul: this machine no longer has your token of {named}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A user's identity as JSON. All times are in milliseconds since 1970.
#[derive(serde::Serialize)]
struct Identity {
    pool: String,
    user: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<String>,
    operator: bool,
    priority_max: i8,
    limits: Quota,
    issued_ms: u64,
    expires_ms: u64,
    /// Until when the token may be renewed.
    renewable_until_ms: u64,
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
        let identity = Identity {
            pool: pool.to_string(),
            user: user.name.clone(),
            group: user.group.clone(),
            operator: user.operator,
            priority_max: user.priority_max,
            limits: user.limits.clone(),
            issued_ms: claims.issued_s.saturating_mul(1000),
            expires_ms: claims.expires_s.saturating_mul(1000),
            renewable_until_ms: user.until_s.saturating_mul(1000),
        };
        println!("{}", serde_json::to_string_pretty(&identity).unwrap_or_default());
        return Ok(());
    }
    let left_s = claims.expires_s.saturating_sub(WallTime::of_machine().now_s());
    let group = user.group.as_ref().map_or(String::new(), |group| format!(" of {group}"));
    let role = if user.operator { ", operator" } else { "" };
    println!("{}{group}{role} in {pool}", user.name);
    println!("limits: {}", crate::pool::operator_commands::limits(&user.limits));
    println!("priority: up to {}", user.priority_max);
    println!("the token is valid for {} h {} min more", left_s / 3600, left_s / 60 % 60);
    Ok(())
}
