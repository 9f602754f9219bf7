//! Listens for whoever asks the pool, over TLS where the pool has an identity, and takes no more connections than it may.

use crate::error::Error;
use crate::identity::WallTime;
use crate::identity::authority::{Authority, node_of};
use crate::identity::host_certificate::HostCertificate;
use crate::identity::passport::certificates;
use crate::server::router;
use crate::service::Service;
use axum::extract::connect_info::Connected;
use axum::serve::IncomingStream;
use rustls::RootCertStore;
use rustls::server::WebPkiClientVerifier;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Connections at once; others wait.
const CONNECTIONS_MAX: usize = 16_384;
/// Connections that have been taken and are not served yet.
const TAKEN_MAX: usize = 64;
const HANDSHAKE_SECONDS_MAX: u64 = 5;
/// How long somebody whose handshake failed is listened to, so that they hear why.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES_MAX: u64 = 64 << 10;
const THREADS: usize = 2;

/// Why a pool does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Its address.
    #[error("cannot listen on {address}: {error}; choose another with --listen HOST:PORT")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// What went wrong.
        error: std::io::Error,
    },
    /// Its threads.
    #[error("cannot start: {0}")]
    Start(std::io::Error),
    /// Its identity.
    #[error("cannot use the pool's identity: {0}")]
    Identity(#[from] Error),
}

/// Who a pool is: what says who others are, and what it is called.
pub struct Identity {
    /// Certifies nodes and the pool itself, and signs tokens.
    pub authority: Authority,
    /// Names and addresses under which the pool is reached.
    pub names: Vec<String>,
}

/// Whose certificate a connection has.
#[derive(Debug, Clone, Default)]
pub struct Peer {
    /// A node's name.
    pub node: Option<String>,
}

/// Listens; `ready` gets the address once questions are answered. Returns only on an error.
///
/// # Errors
/// Why it does not serve.
pub fn serve(
    listen: SocketAddr,
    service: Arc<Service>,
    identity: Option<Identity>,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    let (authority, acceptor) = match identity {
        Some(Identity { authority, names }) => {
            let authority = Arc::new(authority);
            let acceptor = acceptor(authority.clone(), names, service.wall_time())?;
            (Some(authority), Some(acceptor))
        }
        None => (None, None),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(THREADS).build().map_err(ServeError::Start)?;
    runtime.block_on(async {
        let failed = |error| ServeError::Listen { address: listen, error };
        let listener = tokio::net::TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        ready(address);
        let (taken, guests) = mpsc::channel(TAKEN_MAX);
        tokio::spawn(take(listener, acceptor, taken));
        let service = router(service, authority).into_make_service_with_connect_info::<Peer>();
        axum::serve(Door { address, guests }, service).await.map_err(failed)
    })
}

/// Nodes show certificates of this pool, others none.
fn acceptor(authority: Arc<Authority>, names: Vec<String>, wall: WallTime) -> Result<TlsAcceptor, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Identity(error.to_string());
    let mut roots = RootCertStore::empty();
    for certificate in certificates(&authority.ca_pem)? {
        roots.add(certificate).map_err(|error| wrong(&error))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone()).allow_unauthenticated();
    let verifier = verifier.build().map_err(|error| wrong(&error))?;
    let own = HostCertificate::new(authority, names, wall.clone())?;
    let mut config = rustls::ServerConfig::builder_with_details(provider, Arc::new(wall))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| wrong(&error))?
        .with_client_cert_verifier(verifier)
        .with_cert_resolver(Arc::new(own));
    // A session that is taken up again would not show its certificate, which may have expired meanwhile.
    config.send_tls13_tickets = 0;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Takes connections, each of which says who it is in a task of its own.
async fn take(listener: tokio::net::TcpListener, acceptor: Option<TlsAcceptor>, taken: mpsc::Sender<Guest>) {
    let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        // Never closed, so there is always another.
        let Ok(permit) = permits.clone().acquire_owned().await else { continue };
        match listener.accept().await {
            Ok((stream, address)) => {
                let _ = stream.set_nodelay(true);
                let (acceptor, taken) = (acceptor.clone(), taken.clone());
                tokio::spawn(async move {
                    // Who goes wrong here is told by TLS.
                    let Some(stream) = introduce(stream, acceptor).await else { return };
                    let _ = taken.send(Guest { stream, address, _permit: permit }).await;
                });
            }
            // Out of descriptors, most likely.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn introduce(stream: TcpStream, acceptor: Option<TlsAcceptor>) -> Option<Stream> {
    let Some(acceptor) = acceptor else { return Some(Stream::Plain(stream)) };
    let limit = Duration::from_secs(HANDSHAKE_SECONDS_MAX);
    match tokio::time::timeout(limit, acceptor.accept(stream).into_fallible()).await.ok()? {
        Ok(stream) => Some(Stream::Tls(Box::new(stream))),
        Err((_, stream)) => {
            let _ = tokio::time::timeout(LINGER, linger(stream)).await;
            None
        }
    }
}

/// A connection that is closed with bytes unread is reset, and the alert with it.
async fn linger(mut stream: TcpStream) -> std::io::Result<()> {
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(LINGER_BYTES_MAX), &mut tokio::io::sink()).await.map(drop)
}

/// Gives connections that were taken.
struct Door {
    address: SocketAddr,
    guests: mpsc::Receiver<Guest>,
}

impl axum::serve::Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        loop {
            if let Some(guest) = self.guests.recv().await {
                let address = guest.address;
                return (guest, address);
            }
            // Whoever takes connections is gone, as the process is about to be.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        Ok(self.address)
    }
}

impl Connected<IncomingStream<'_, Door>> for Peer {
    fn connect_info(incoming: IncomingStream<'_, Door>) -> Peer {
        let Stream::Tls(stream) = &incoming.io().stream else { return Peer::default() };
        let shown = stream.get_ref().1.peer_certificates().and_then(|chain| chain.first());
        let node = shown.and_then(|certificate| node_of(&webpki::EndEntityCert::try_from(certificate).ok()?));
        Peer { node }
    }
}

/// A connection and its place among those that are allowed.
struct Guest {
    stream: Stream,
    address: SocketAddr,
    _permit: OwnedSemaphorePermit,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Guest {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Guest {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match &mut self.stream {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
