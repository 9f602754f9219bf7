//! A client's connection to the pool, with or without TLS.

use crate::identity::node_name::node_of;
use std::io::{Error, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_rustls::server::TlsStream;

type Written<T> = Poll<std::io::Result<T>>;

/// A connection.
pub(super) enum Connection {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection {
    /// Returns the node's name, if the client presented a node's certificate.
    pub fn node(&self) -> Option<String> {
        let Connection::Tls(stream) = self else { return None };
        let certificate = stream.get_ref().1.peer_certificates()?.first()?;
        node_of(&webpki::EndEntityCert::try_from(certificate).ok()?)
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        match &mut *self {
            Connection::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Connection::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Written<usize> {
        match &mut *self {
            Connection::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Connection::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Written<()> {
        match &mut *self {
            Connection::Plain(stream) => Pin::new(stream).poll_flush(context),
            Connection::Tls(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Written<()> {
        match &mut *self {
            Connection::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Connection::Tls(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

/// A connection that fails if the other side takes nothing for too long. A client that never reads
/// its answer would otherwise hold the connection and its buffers for as long as it likes.
pub(super) struct WriteTimeout<S> {
    stream: S,
    timeout: Duration,
    /// Set while the other side takes nothing; ends after the timeout.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    /// Returns a connection that waits at most `timeout` for the other side to take something.
    pub fn new(stream: S, timeout: Duration) -> WriteTimeout<S> {
        WriteTimeout { stream, timeout, waiting: None }
    }

    /// Passes on the outcome of a write, or fails if the other side has taken nothing for too long.
    fn timed<T>(&mut self, context: &mut Context<'_>, written: Written<T>) -> Written<T> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let timeout = self.timeout;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        waiting.as_mut().poll(context).map(|()| Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Written<usize> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Written<()> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.timed(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Written<()> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.timed(context, shut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[test]
    fn a_client_that_takes_nothing_loses_its_connection_and_a_slow_one_does_not() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (own, mut theirs) = tokio::io::duplex(4);
            let mut own = WriteTimeout::new(own, Duration::from_millis(20));
            let (written, read) = tokio::join!(own.write_all(b"12345678"), async {
                let mut bytes = [0; 8];
                theirs.read_exact(&mut bytes).await.map(|_| bytes)
            });
            assert_eq!((written.unwrap(), &read.unwrap()), ((), b"12345678"));
            let unread = own.write_all(b"12345678").await.unwrap_err();
            assert_eq!(unread.kind(), ErrorKind::TimedOut);
            drop(theirs);
        });
    }
}
