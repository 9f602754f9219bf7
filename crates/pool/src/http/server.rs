//! The routes and handlers of the pool's HTTP interface, under /v1, with its description,
//! `openapi.json`.

pub(super) mod places;
mod request;

use crate::error::Error;
use crate::http::api::{
    Drain, Heartbeat, History, LeaseRequest, Logged, Refused, Renewal, Unreachable,
};
use crate::http::joining::{Joined, Joining, Renewing};
use crate::http::service::{ENTRIES_MAX, Service};
use crate::identity::authority::Authority;
use crate::identity::{Caller, Grant};
use crate::log::audit::Audit;
use crate::log::rules::Command;
use crate::model::lease::End;
use crate::model::node::NodeFacts;
use crate::model::quota::Quota;
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use outhaul_wire::name::check_name;
use places::{Full, Limits, Place, Places};
use request::{of_own_page, with_whole_body};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::mpsc::Sender;
use tokio_stream::StreamExt;

const KEY_HASH_DIGITS: usize = 64;
/// The most answers at once that have no end or any length: the log as it grows, and backups. Each
/// costs the pool buffers for as long as its reader likes.
const STREAMS_MAX: usize = 256;
/// The most of them at once to one address.
const STREAMS_OF_ONE_MAX: usize = 64;
const STREAMS: Limits = Limits { all: STREAMS_MAX, of_one: STREAMS_OF_ONE_MAX };
/// The most lines of a backup that wait for a client that reads slowly.
const LINES_MAX: usize = 16;
/// The most entries of the log that are read at once for a client that follows it. Further ones are
/// read when the client has taken these.
const FOLLOWED_MAX: usize = 16;
/// The interface's description for OpenAPI.
pub const OPENAPI: &str = include_str!("openapi.json");

type Answer = Result<Response, Error>;
type Asked<T> = Result<Query<T>, QueryRejection>;
type Shared = State<Arc<Interface>>;

/// The state that all handlers share.
pub struct Interface {
    service: Arc<Service>,
    /// Identifies callers. Without an authority, the pool believes who callers claim to be.
    authority: Option<Arc<Authority>>,
    streams: Places,
}

impl std::ops::Deref for Interface {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// The other side of a connection.
#[derive(Debug, Clone, Default)]
pub struct Peer {
    /// The node's name, if the peer presented a node's certificate.
    pub node: Option<String>,
    /// The address of the connection, if there is one.
    pub address: Option<IpAddr>,
}

impl FromRequestParts<Arc<Interface>> for Peer {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        _: &Arc<Interface>,
    ) -> Result<Peer, Self::Rejection> {
        Ok(parts.extensions.get::<Peer>().cloned().unwrap_or_default())
    }
}

impl FromRequestParts<Arc<Interface>> for Caller {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        interface: &Arc<Interface>,
    ) -> Result<Caller, Self::Rejection> {
        let node = parts.extensions.get::<Peer>().and_then(|peer| peer.node.clone());
        Ok(Caller::new(
            interface.authority.as_deref(),
            node,
            &parts.headers,
            interface.wall_time().now_s(),
        ))
    }
}

/// Returns the router for all paths of the interface.
pub fn router(service: Arc<Service>, authority: Option<Arc<Authority>>) -> Router {
    Router::new()
        .route(
            "/v1/openapi.json",
            get(async || ([(header::CONTENT_TYPE, "application/json")], OPENAPI)),
        )
        .route("/metrics", get(metrics))
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/v1/identity", get(identity).post(admit))
        .route("/v1/identity/renew", post(renew_identity))
        .route("/v1/health", get(health))
        .route("/v1/backup", get(backup))
        .route("/v1/nodes", get(nodes).post(join))
        .route("/v1/nodes/{node}", axum::routing::delete(forget))
        .route("/v1/nodes/{node}/leave", post(leave))
        .route("/v1/nodes/{node}/heartbeat", post(heartbeat))
        .route("/v1/nodes/{node}/drain", put(drain))
        .route("/v1/leases", get(leases).post(request))
        .route("/v1/leases/{id}", get(lease).delete(release))
        .route("/v1/leases/{id}/renew", post(renew))
        .route("/v1/leases/{id}/unreachable", post(unreachable))
        .route("/v1/quotas", get(quotas))
        .route("/v1/quotas/{subject}", put(set_quota).delete(clear_quota))
        .route("/v1/usage", get(usage))
        .route("/v1/energy", get(energy))
        .route("/", get(async || page("text/html; charset=utf-8", include_str!("page/index.html"))))
        .route("/page.css", get(async || page("text/css", include_str!("page/page.css"))))
        .route("/page.js", get(async || page("text/javascript", include_str!("page/page.js"))))
        .route("/v1/events", get(events))
        .fallback(async || {
            Error::NoSuch("the pool has no such path; GET /v1/openapi.json lists them".into())
        })
        .layer(from_fn(with_whole_body))
        .layer(from_fn(of_own_page))
        .with_state(Arc::new(Interface { service, authority, streams: Places::new(STREAMS) }))
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = match &self {
            Error::NoSuch(_) => StatusCode::NOT_FOUND,
            Error::Ended(_) => StatusCode::GONE,
            Error::Unknown(_) => StatusCode::UNAUTHORIZED,
            Error::Quota(_) | Error::Forbidden(_) => StatusCode::FORBIDDEN,
            Error::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Error::Busy(_) | Error::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        (status, Json(Refused { error: self.to_string(), ended: None })).into_response()
    }
}

fn body<T: DeserializeOwned>(bytes: &Bytes) -> Result<T, Error> {
    let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { bytes };
    serde_json::from_slice(bytes)
        .map_err(|error| Error::Usage(format!("the request's body is invalid: {error}")))
}

fn query<T>(asked: Asked<T>) -> Result<T, Error> {
    asked.map(|Query(query)| query).map_err(|error| Error::Usage(error.body_text()))
}

fn json(value: impl serde::Serialize) -> Answer {
    Ok(Json(value).into_response())
}

impl Interface {
    /// Takes a place for a stream to `address`.
    fn stream(&self, address: Option<IpAddr>) -> Result<Place, Error> {
        self.streams.take(address).map_err(|full| match full {
            Full::All => {
                Error::Busy(format!("{STREAMS_MAX} readers follow its log or take backups already"))
            }
            Full::OfOne => Error::TooMany(format!(
                "your address has {STREAMS_OF_ONE_MAX} streams of the pool's log or backups \
                already; end one, or ask for entries without `follow`"
            )),
        })
    }

    fn authority(&self) -> Result<&Authority, Error> {
        self.authority.as_deref().ok_or_else(|| {
            Error::NoSuch("this pool has no identity; `outhaul pool init` makes one".into())
        })
    }
}

/// Returns the pool's certificate to joining programs.
async fn identity(State(pool): Shared) -> Answer {
    json(&pool.authority()?.ca_pem)
}

/// Exchanges a join token, which can be used only once, for a node's certificate or a user's token.
async fn admit(State(pool): Shared, bytes: Bytes) -> Answer {
    let Joining { token, public_key } = body(&bytes)?;
    let (authority, now_s) = (pool.authority()?, pool.wall_time().now_s());
    let claims = authority.read(&token, now_s)?;
    let (actor, joined) = match (&claims.grant, public_key) {
        (Grant::JoinNode(name), Some(key)) => {
            let certificate = authority.certify_node(name, &key, now_s)?;
            (format!("node:{name}"), Joined { certificate: Some(certificate), token: None })
        }
        (Grant::JoinUser(user), None) => {
            let token = authority.issue_to(user, now_s)?;
            (format!("user:{}", user.name), Joined { certificate: None, token: Some(token) })
        }
        _ => return Err(Error::Unknown("the token does not permit that".into())),
    };
    // If two requests use the token at once, only one of them passes this command.
    let (until_ms, wall_ms) = (claims.expires_s.saturating_mul(1000), now_s.saturating_mul(1000));
    let command = Command::Admit { token: claims.id, until_ms, wall_ms };
    pool.carry_out(crate::model::actor::Actor(actor), command).await?;
    json(joined)
}

async fn renew_identity(State(pool): Shared, caller: Caller, bytes: Bytes) -> Answer {
    let Renewing { public_key } = body(&bytes)?;
    let (authority, now_s) = (pool.authority()?, pool.wall_time().now_s());
    match (caller.as_node(), public_key) {
        (Some(name), Some(key)) => json(Joined {
            certificate: Some(authority.certify_node(name, &key, now_s)?),
            token: None,
        }),
        (Some(_), None) => Err(Error::Usage("a node must send a key to renew with".into())),
        (None, _) => {
            let (_, user) = caller.holder()?;
            let user = user.ok_or_else(|| Error::Usage("there is nothing to renew".into()))?;
            json(Joined { certificate: None, token: Some(authority.issue_to(user, now_s)?) })
        }
    }
}

async fn health(State(pool): Shared) -> Answer {
    json(pool.health().await?)
}

/// Answers whether the pool grants leases now. Callers need no authentication.
async fn ready(State(pool): Shared) -> Answer {
    pool.health().await.map(|_| "ready\n".into_response())
}

/// Streams all that the pool knows, except its identity, to an operator.
async fn backup(State(pool): Shared, peer: Peer, caller: Caller) -> Answer {
    caller.operator()?;
    let place = pool.stream(peer.address)?;
    pool.catch_up().await?;
    let (line, lines) = tokio::sync::mpsc::channel(LINES_MAX);
    tokio::task::spawn_blocking(move || {
        pool.back_up(|text| line.blocking_send(text).is_ok());
        drop(place);
    });
    let lines =
        tokio_stream::wrappers::ReceiverStream::new(lines).map(Ok::<_, std::convert::Infallible>);
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response())
}

async fn metrics(State(pool): Shared, caller: Caller) -> Answer {
    caller.reader()?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], pool.metrics().await)
        .into_response())
}

/// The query of a request for the usage.
#[derive(Deserialize)]
struct Curves {
    #[serde(default)]
    history: History,
}

async fn usage(State(pool): Shared, asked: Asked<Curves>, caller: Caller) -> Answer {
    caller.member()?;
    json(pool.usage(query(asked)?.history))
}

/// The query of a request for energy: the lease, or `None` for all leases.
#[derive(Deserialize)]
struct Whose {
    lease: Option<String>,
}

async fn energy(State(pool): Shared, asked: Asked<Whose>, caller: Caller) -> Answer {
    caller.member()?;
    json(pool.energy(query(asked)?.lease.as_deref()))
}

/// Returns one of the page's files. The page may load only the pool's files and contact only the
/// pool.
fn page(kind: &'static str, text: &'static str) -> impl IntoResponse {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, text)
}

async fn nodes(State(pool): Shared, caller: Caller) -> Answer {
    caller.member()?;
    pool.catch_up_if_possible().await;
    json(pool.nodes())
}

async fn join(State(pool): Shared, caller: Caller, bytes: Bytes) -> Answer {
    let facts: NodeFacts = body(&bytes)?;
    let actor = caller.node(&facts.name)?;
    let orders = pool.join(actor, facts).await?;
    Ok((StatusCode::CREATED, Json(orders)).into_response())
}

async fn leave(State(pool): Shared, Path(node): Path<String>, caller: Caller) -> Answer {
    pool.carry_out(caller.node(&node)?, Command::Leave { node }).await?;
    json(())
}

async fn forget(State(pool): Shared, Path(node): Path<String>, caller: Caller) -> Answer {
    let actor = caller.node(&node).or_else(|_| caller.operator())?;
    pool.carry_out(actor, Command::Forget { node }).await?;
    json(())
}

async fn heartbeat(
    State(pool): Shared,
    Path(node): Path<String>,
    caller: Caller,
    bytes: Bytes,
) -> Answer {
    caller.node(&node)?;
    let heartbeat: Heartbeat = body(&bytes)?;
    json(pool.heartbeat(&node, &heartbeat).await?)
}

async fn drain(
    State(pool): Shared,
    Path(node): Path<String>,
    caller: Caller,
    bytes: Bytes,
) -> Answer {
    let Drain { draining } = body(&bytes)?;
    pool.carry_out(caller.operator()?, Command::Drain { node, draining }).await?;
    json(())
}

async fn leases(State(pool): Shared, caller: Caller) -> Answer {
    caller.member()?;
    pool.catch_up_if_possible().await;
    json(pool.leases())
}

async fn request(State(pool): Shared, caller: Caller, bytes: Bytes) -> Answer {
    let LeaseRequest { id, key_hash, holder, ask } = body(&bytes)?;
    if key_hash.len() != KEY_HASH_DIGITS || !key_hash.bytes().all(|digit| digit.is_ascii_hexdigit())
    {
        return Err(Error::Usage(format!(
            "the hash of the lease's key must have {KEY_HASH_DIGITS} hexadecimal digits"
        )));
    }
    let (own, user) = caller.holder()?;
    if let Some(user) = user
        && ask.priority > user.priority_max
    {
        let (name, max) = (&user.name, user.priority_max);
        return Err(Error::Forbidden(format!(
            "priority {}: the token of user:{name} allows up to {max}",
            ask.priority
        )));
    }
    let (limits, named) =
        (user.map(|user| Box::new(user.limits.clone())), holder.filter(|_| caller.is_open()));
    let command =
        Command::Request { id: id.clone(), key_hash, holder: named.unwrap_or(own), ask, limits };
    pool.carry_out(command.actor(), command).await?;
    Ok((StatusCode::CREATED, Json(pool.known(&id)?)).into_response())
}

async fn lease(State(pool): Shared, Path(id): Path<String>, caller: Caller) -> Answer {
    caller.member()?;
    match pool.lease(&id).await {
        Err(error @ Error::Ended(_)) => {
            let refused = Refused { error: error.to_string(), ended: pool.ended(&id) };
            Ok((StatusCode::GONE, Json(refused)).into_response())
        }
        found => json(found?),
    }
}

/// Handles a holder's heartbeat. The lease's key authenticates the caller for as long as the lease
/// lasts; the user's token is an alternative.
async fn renew(
    State(pool): Shared,
    Path(id): Path<String>,
    caller: Caller,
    bytes: Bytes,
) -> Answer {
    let renewal: Renewal = body(&bytes)?;
    holders_only(&pool, &id, &caller).await?;
    json(pool.renew(&id, &renewal).await?)
}

async fn unreachable(
    State(pool): Shared,
    Path(id): Path<String>,
    caller: Caller,
    bytes: Bytes,
) -> Answer {
    let Unreachable { fence, address } = body(&bytes)?;
    holders_only(&pool, &id, &caller).await?;
    json(pool.unreachable(&id, fence, address).await?)
}

async fn holders_only(pool: &Service, id: &str, caller: &Caller) -> Result<(), Error> {
    if caller.is_open() || pool.is_held_by(id, caller).await? {
        return Ok(());
    }
    caller.member()?;
    Err(Error::Forbidden(format!("the lease {id} belongs to another user")))
}

/// Ends a lease: released, if the holder asks, or killed, if an operator asks.
async fn release(State(pool): Shared, Path(id): Path<String>, caller: Caller) -> Answer {
    let own = pool.is_held_by(&id, &caller).await?;
    let end = if own { End::Released } else { End::Killed };
    let actor = if own { pool.actor_of(&id)? } else { caller.operator()? };
    pool.carry_out(actor, Command::Finish { id, end }).await?;
    json(())
}

async fn quotas(State(pool): Shared, caller: Caller) -> Answer {
    caller.member()?;
    pool.catch_up_if_possible().await;
    json(pool.quotas())
}

async fn set_quota(
    State(pool): Shared,
    Path(subject): Path<String>,
    caller: Caller,
    bytes: Bytes,
) -> Answer {
    let quota: Quota = body(&bytes)?;
    pool.carry_out(caller.operator()?, Command::SetQuota { subject, quota: Some(quota) }).await?;
    json(pool.quotas())
}

async fn clear_quota(State(pool): Shared, Path(subject): Path<String>, caller: Caller) -> Answer {
    pool.carry_out(caller.operator()?, Command::SetQuota { subject, quota: None }).await?;
    json(pool.quotas())
}

/// The query of a request for entries of the log.
#[derive(Deserialize)]
struct Which {
    #[serde(default)]
    after: u64,
    #[serde(default)]
    wait_ms: u64,
    #[serde(default)]
    follow: bool,
    /// The time of the first entry, in milliseconds since 1970.
    #[serde(default)]
    since_ms: u64,
    user: Option<String>,
}

/// Streams the log to operators, and to a user what is about that user.
async fn events(State(pool): Shared, asked: Asked<Which>, peer: Peer, caller: Caller) -> Answer {
    let Which { mut after, wait_ms, follow: is_endless, since_ms, user } = query(asked)?;
    user.as_deref().map_or(Ok(()), |user| check_name("user", user))?;
    caller.auditor(user.as_deref())?;
    let mut audit = pool.audit(user, since_ms);
    if !is_endless {
        return json(pool.entries(&mut audit, &mut after, ENTRIES_MAX, wait_ms).await?);
    }
    let place = pool.stream(peer.address)?;
    let (text, texts) = tokio::sync::mpsc::channel::<String>(1);
    tokio::spawn(async move {
        tokio::select! {
            () = follow(&pool, audit, after, &text) => {}
            () = text.closed() => {}
        }
        drop(place);
    });
    let texts =
        tokio_stream::wrappers::ReceiverStream::new(texts).map(Ok::<_, std::convert::Infallible>);
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(texts)).into_response())
}

/// Sends the log's entries after `after`, and new ones as they come, until the store fails or the
/// reader is gone.
async fn follow(pool: &Service, mut audit: Audit, mut after: u64, text: &Sender<String>) {
    // A place for the text comes first, so that nothing is read for a reader that takes nothing.
    while let Ok(place) = text.reserve().await {
        let wait_ms = crate::http::api::WAIT_MS_MAX;
        let entries = pool.entries(&mut audit, &mut after, FOLLOWED_MAX, wait_ms).await;
        let Ok(entries) = entries else { return };
        if entries.is_empty() {
            continue;
        }
        let line = |logged: &Logged| serde_json::to_string(logged).unwrap_or_default() + "\n";
        place.send(entries.iter().map(line).collect());
    }
}
