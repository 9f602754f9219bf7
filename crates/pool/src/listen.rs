//! Listens for whoever asks the pool, and takes no more connections than it may.

use crate::server::router;
use crate::service::Service;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections at once; others wait.
const CONNECTIONS_MAX: usize = 16_384;
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
}

/// Listens; `ready` gets the address once questions are answered. Returns only on an error.
///
/// # Errors
/// Why it does not serve.
pub fn serve(listen: SocketAddr, service: Arc<Service>, ready: impl FnOnce(SocketAddr)) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().worker_threads(THREADS).build().map_err(ServeError::Start)?;
    runtime.block_on(async {
        let failed = |error| ServeError::Listen { address: listen, error };
        let listener = tokio::net::TcpListener::bind(listen).await.map_err(failed)?;
        ready(listener.local_addr().map_err(failed)?);
        let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        axum::serve(Door { listener, permits }, router(service)).await.map_err(failed)
    })
}

/// Takes no more connections than it may.
struct Door {
    listener: tokio::net::TcpListener,
    permits: Arc<Semaphore>,
}

impl axum::serve::Listener for Door {
    type Io = Guest;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Guest, SocketAddr) {
        loop {
            // Never closed, so there is always another.
            let Ok(permit) = self.permits.clone().acquire_owned().await else { continue };
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    let _ = stream.set_nodelay(true);
                    return (Guest { stream, _permit: permit }, address);
                }
                // Out of descriptors, most likely.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection and its place among those that are allowed.
struct Guest {
    stream: tokio::net::TcpStream,
    _permit: OwnedSemaphorePermit,
}

impl AsyncRead for Guest {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Guest {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
