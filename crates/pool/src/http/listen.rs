//! The pool's listener, which uses TLS if the pool has an identity. The listener answers
//! connections beyond its limit with a refusal, and closes connections that stay idle or whose
//! client takes no answer.

use crate::error::Error;
use crate::http::api::Refused;
use crate::http::connection::{Connection, WriteTimeout};
use crate::http::server::places::{Limits, Places};
use crate::http::server::{Peer, router};
use crate::http::service::Service;
use crate::identity::WallTime;
use crate::identity::authority::Authority;
use crate::identity::credentials::certificates;
use crate::identity::host_certificate::HostCertificate;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::RootCertStore;
use rustls::server::WebPkiClientVerifier;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// The upper bound on open connections; a lower limit on the process's open files takes precedence.
const CONNECTIONS_MAX: usize = 16_384;
/// Descriptors for other purposes: the store, the log, and connections that are being refused.
const RESERVE: usize = 64;
/// The most connections that are refused at once; the listener closes further ones without an
/// answer.
const REFUSALS_MAX: usize = 16;
/// The longest time in which a client may send a request, and keep a connection without a request.
const IDLE_SECONDS_MAX: u64 = 20;
/// How long a client may take nothing of an answer.
const UNREAD_MAX: Duration = Duration::from_secs(30);
/// The size of a connection's buffers: of a request's headers, and of an answer that the client has
/// not taken yet.
const BUFFER_BYTES_MAX: usize = 64 << 10;
/// The size of the system's buffer for a connection's answers. Systems let it grow to megabytes by
/// themselves, and a client that reads nothing would fill that first.
const SYSTEM_BUFFER_BYTES: u32 = 256 << 10;
/// The most connections that wait to be accepted.
const BACKLOG: u32 = 1024;
const HANDSHAKE_SECONDS_MAX: u64 = 5;
/// How long to read from a client whose handshake failed, so that the client receives the reason.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES_MAX: u64 = 64 << 10;
const THREADS: usize = 2;

/// Why a pool cannot serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The pool cannot listen on its address.
    #[error("cannot listen on {address}: {error}; choose another with --listen HOST:PORT")]
    Listen {
        /// The address of the listener.
        address: SocketAddr,
        /// The cause.
        error: std::io::Error,
    },
    /// The pool cannot start its threads.
    #[error("cannot start: {0}")]
    Start(std::io::Error),
    /// The pool's identity cannot be used.
    #[error("cannot use the pool's identity: {0}")]
    Identity(#[from] Error),
}

/// A pool's identity: its authority, and its own names.
pub struct Identity {
    /// The authority that certifies nodes and the pool itself, and signs tokens.
    pub authority: Authority,
    /// Names and addresses under which clients reach the pool.
    pub names: Vec<String>,
}

/// Serves the pool. Calls `ready` with the address once the pool answers requests. Returns only on
/// an error.
///
/// # Errors
/// The pool cannot serve, with the reason.
pub fn serve(
    listen: SocketAddr,
    service: Arc<Service>,
    identity: Option<Identity>,
    ready: impl FnOnce(SocketAddr),
) -> Result<Infallible, ServeError> {
    let (authority, acceptor) = match identity {
        Some(Identity { authority, names }) => {
            let authority = Arc::new(authority);
            let acceptor = acceptor(authority.clone(), names, service.wall_time())?;
            (Some(authority), Some(acceptor))
        }
        None => (None, None),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(THREADS)
        .build()
        .map_err(ServeError::Start)?;
    runtime.block_on(async {
        let failed = |error| ServeError::Listen { address: listen, error };
        let listener = bind(listen).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        ready(address);
        take(listener, acceptor, router(service, authority)).await
    })
}

/// Listens on an address. Its connections inherit the size of the system's buffer.
fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SYSTEM_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Returns the TLS acceptor of the pool. Nodes present certificates of this pool; other clients
/// present none.
fn acceptor(
    authority: Arc<Authority>,
    names: Vec<String>,
    wall: WallTime,
) -> Result<TlsAcceptor, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Identity(error.to_string());
    let mut roots = RootCertStore::empty();
    for certificate in certificates(&authority.ca_pem)? {
        roots.add(certificate).map_err(|error| wrong(&error))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone())
        .allow_unauthenticated();
    let verifier = verifier.build().map_err(|error| wrong(&error))?;
    let own = HostCertificate::new(authority, names, wall.clone())?;
    let mut config = rustls::ServerConfig::builder_with_details(provider, Arc::new(wall))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| wrong(&error))?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(own));
    // Tickets are off, because a resumed session would not present its certificate again, although
    // that may have expired.
    config.send_tls13_tickets = 0;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Accepts connections and serves each one in a task of its own.
async fn take<T>(listener: TcpListener, acceptor: Option<TlsAcceptor>, router: Router) -> T {
    let max = files_max().saturating_sub(RESERVE).clamp(1, CONNECTIONS_MAX);
    let places = Places::new(Limits { all: max, of_one: max });
    let refusals = Arc::new(Semaphore::new(REFUSALS_MAX));
    loop {
        let Ok((stream, address)) = listener.accept().await else {
            // The process has probably run out of descriptors.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let place = places.take_from_most(Some(address.ip()));
        match (place, refusals.clone().try_acquire_owned()) {
            (Ok(place), _) => {
                let (acceptor, router) = (acceptor.clone(), router.clone());
                tokio::spawn(async move {
                    tokio::select! {
                        () = attend(stream, address, acceptor, router) => {}
                        () = place.lost() => {}
                    }
                });
            }
            (Err(_), Ok(refusal)) if acceptor.is_none() => {
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(LINGER, turn_away(stream, max)).await;
                    drop(refusal);
                });
            }
            // Before TLS is established, the listener cannot answer.
            _ => {}
        }
    }
}

/// Answers any request with the message that the pool has too many connections.
async fn turn_away(mut stream: TcpStream, max: usize) -> std::io::Result<()> {
    let error = format!(
        "the pool serves {max} connections already; try again, or raise how many files it may open \
        (`LimitNOFILE`, `ulimit -n`)"
    );
    let body = serde_json::to_string(&Refused { error, ended: None }).unwrap_or_default();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-type: \
        application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await?;
    linger(stream).await
}

/// Returns the number of files that this process may open.
fn files_max() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(usize::MAX)
}

/// Serves a connection until it ends, stays idle or takes no answer for too long.
async fn attend(
    stream: TcpStream,
    address: SocketAddr,
    acceptor: Option<TlsAcceptor>,
    router: Router,
) {
    // If the handshake fails, TLS sends the reason to the client.
    let Some(stream) = introduce(stream, acceptor).await else { return };
    let peer = Peer { node: stream.node(), address: Some(address.ip().to_canonical()) };
    let service = TowerToHyperService::new(router.layer(Extension(peer)));
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(IDLE_SECONDS_MAX));
    server.max_buf_size(BUFFER_BYTES_MAX);
    let stream = WriteTimeout::new(stream, UNREAD_MAX);
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

async fn introduce(stream: TcpStream, acceptor: Option<TlsAcceptor>) -> Option<Connection> {
    let Some(acceptor) = acceptor else { return Some(Connection::Plain(stream)) };
    let limit = Duration::from_secs(HANDSHAKE_SECONDS_MAX);
    match tokio::time::timeout(limit, acceptor.accept(stream).into_fallible()).await.ok()? {
        Ok(stream) => Some(Connection::Tls(Box::new(stream))),
        Err((_, stream)) => {
            let _ = tokio::time::timeout(LINGER, linger(stream)).await;
            None
        }
    }
}

/// Reads the client's remaining bytes. Closing a connection with unread bytes resets it, and then
/// the client loses the alert.
async fn linger(mut stream: TcpStream) -> std::io::Result<()> {
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(LINGER_BYTES_MAX), &mut tokio::io::sink()).await.map(drop)
}
