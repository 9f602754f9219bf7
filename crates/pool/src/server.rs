//! The pool's HTTP interface, under /v1. What may be asked is described in `openapi.json`, which the server hands out.

use crate::api::{Drain, Heartbeat, LeaseRequest, Logged, Refused, Renewal};
use crate::entry::Actor;
use crate::error::Error;
use crate::lease::{End, Holder};
use crate::node::NodeFacts;
use crate::quota::Quota;
use crate::rules::Command;
use crate::service::Service;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tokio_stream::StreamExt;

const BODY_BYTES_MAX: usize = 256 << 10;
const KEY_HASH_DIGITS: usize = 64;
/// Entries that wait for whoever follows the log slowly.
const FOLLOWED_MAX: usize = 64;
/// The header in which somebody who is not authenticated says who they are.
pub const USER_HEADER: &str = "outhaul-user";
const ANONYMOUS: &str = "anonymous";
/// What the interface is.
pub const OPENAPI: &str = include_str!("openapi.json");

type Answer = Result<Response, Error>;
type Shared = State<Arc<Service>>;

/// All paths of the interface.
pub fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/v1/openapi.json", get(async || ([(header::CONTENT_TYPE, "application/json")], OPENAPI)))
        .route("/metrics", get(metrics))
        .route("/v1/health", get(health))
        .route("/v1/nodes", get(nodes).post(join))
        .route("/v1/nodes/{node}", axum::routing::delete(leave))
        .route("/v1/nodes/{node}/heartbeat", post(heartbeat))
        .route("/v1/nodes/{node}/drain", put(drain))
        .route("/v1/leases", get(leases).post(request))
        .route("/v1/leases/{id}", get(lease).delete(release))
        .route("/v1/leases/{id}/renew", post(renew))
        .route("/v1/quotas", get(quotas))
        .route("/v1/quotas/{subject}", put(set_quota).delete(clear_quota))
        .route("/v1/events", get(events))
        .fallback(async || Error::NoSuch("the pool has no such path; GET /v1/openapi.json says which it has".into()))
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(service)
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = match &self {
            Error::NoSuch(_) => StatusCode::NOT_FOUND,
            Error::Ended(_) => StatusCode::GONE,
            Error::Quota(_) | Error::Forbidden(_) => StatusCode::FORBIDDEN,
            Error::Busy(_) | Error::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        (status, Json(Refused { error: self.to_string(), ended: None })).into_response()
    }
}

fn body<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, Error> {
    let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| Error::Usage(format!("the request's body: {error}")))
}

fn json(value: impl serde::Serialize) -> Answer {
    Ok(Json(value).into_response())
}

/// Whoever is not authenticated is who they say.
fn who(headers: &HeaderMap) -> Holder {
    let user = headers.get(USER_HEADER).and_then(|user| user.to_str().ok()).unwrap_or(ANONYMOUS);
    Holder { user: user.to_owned(), group: None }
}

fn actor(headers: &HeaderMap) -> Actor {
    Actor(format!("user:{}", who(headers).user))
}

async fn health(State(service): Shared) -> Answer {
    json(service.health()?)
}

async fn metrics(State(service): Shared) -> Answer {
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], service.metrics()).into_response())
}

async fn nodes(State(service): Shared) -> Answer {
    json(service.nodes())
}

async fn join(State(service): Shared, bytes: Bytes) -> Answer {
    let facts: NodeFacts = body(&bytes)?;
    let actor = Actor(format!("node:{}", facts.name));
    let orders = service.join(actor, facts).await?;
    Ok((StatusCode::CREATED, Json(orders)).into_response())
}

async fn leave(State(service): Shared, Path(node): Path<String>, headers: HeaderMap) -> Answer {
    service.carry_out(actor(&headers), Command::Leave { node }).await?;
    json(())
}

async fn heartbeat(State(service): Shared, Path(node): Path<String>, bytes: Bytes) -> Answer {
    let heartbeat: Heartbeat = body(&bytes)?;
    json(service.heartbeat(&node, &heartbeat).await?)
}

async fn drain(State(service): Shared, Path(node): Path<String>, headers: HeaderMap, bytes: Bytes) -> Answer {
    let Drain { draining } = body(&bytes)?;
    service.carry_out(actor(&headers), Command::Drain { node, draining }).await?;
    json(())
}

async fn leases(State(service): Shared) -> Answer {
    json(service.leases())
}

async fn request(State(service): Shared, headers: HeaderMap, bytes: Bytes) -> Answer {
    let LeaseRequest { id, key_hash, holder, ask } = body(&bytes)?;
    if key_hash.len() != KEY_HASH_DIGITS || !key_hash.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(Error::Usage(format!("the hash of the lease's key has {KEY_HASH_DIGITS} hexadecimal digits")));
    }
    let holder = holder.unwrap_or_else(|| who(&headers));
    let command = Command::Request { id: id.clone(), key_hash, holder, ask };
    service.carry_out(command.actor(), command).await?;
    Ok((StatusCode::CREATED, Json(service.lease(&id)?)).into_response())
}

async fn lease(State(service): Shared, Path(id): Path<String>) -> Answer {
    match service.lease(&id) {
        Err(error @ Error::Ended(_)) => {
            let refused = Refused { error: error.to_string(), ended: service.ended(&id) };
            Ok((StatusCode::GONE, Json(refused)).into_response())
        }
        found => json(found?),
    }
}

async fn renew(State(service): Shared, Path(id): Path<String>, bytes: Bytes) -> Answer {
    let renewal: Renewal = body(&bytes)?;
    json(service.renew(&id, &renewal).await?)
}

/// By its holder it is released, by others killed.
async fn release(State(service): Shared, Path(id): Path<String>, headers: HeaderMap) -> Answer {
    let own = service.lease(&id)?.holder.user == who(&headers).user;
    let end = if own { End::Released } else { End::Killed };
    service.carry_out(actor(&headers), Command::Finish { id, end }).await?;
    json(())
}

async fn quotas(State(service): Shared) -> Answer {
    json(service.quotas())
}

async fn set_quota(State(service): Shared, Path(subject): Path<String>, headers: HeaderMap, bytes: Bytes) -> Answer {
    let quota: Quota = body(&bytes)?;
    service.carry_out(actor(&headers), Command::SetQuota { subject, quota: Some(quota) }).await?;
    json(service.quotas())
}

async fn clear_quota(State(service): Shared, Path(subject): Path<String>, headers: HeaderMap) -> Answer {
    service.carry_out(actor(&headers), Command::SetQuota { subject, quota: None }).await?;
    json(service.quotas())
}

/// Which entries of the log.
#[derive(Deserialize)]
struct Which {
    #[serde(default)]
    after: u64,
    #[serde(default)]
    wait_ms: u64,
    #[serde(default)]
    follow: bool,
}

async fn events(State(service): Shared, Query(which): Query<Which>) -> Answer {
    let logged = |(index, entry)| Logged { index, entry };
    if !which.follow {
        let entries = service.entries(which.after, which.wait_ms).await?;
        return json(entries.into_iter().map(logged).collect::<Vec<_>>());
    }
    let (line, lines) = tokio::sync::mpsc::channel(FOLLOWED_MAX);
    tokio::spawn(async move {
        let mut after = which.after;
        while let Ok(entries) = service.entries(after, crate::api::WAIT_MS_MAX).await {
            if line.is_closed() {
                return;
            }
            for (index, entry) in entries {
                after = index;
                let text = serde_json::to_string(&logged((index, entry))).unwrap_or_default() + "\n";
                if line.send(text).await.is_err() {
                    return;
                }
            }
        }
    });
    let lines = tokio_stream::wrappers::ReceiverStream::new(lines).map(Ok::<_, std::convert::Infallible>);
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response())
}
