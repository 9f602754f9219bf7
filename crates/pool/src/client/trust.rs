//! Why TLS with a pool does not come about, in words for who asked.

use rustls::{AlertDescription, CertificateError, Error};

/// What is wrong and what to do, if it is TLS that went wrong.
pub fn trouble(error: &ureq::Error) -> Option<String> {
    let of_tls = match error {
        ureq::Error::Rustls(error) => error,
        ureq::Error::Io(error) => error.get_ref()?.downcast_ref()?,
        _ => return None,
    };
    Some(match of_tls {
        Error::InvalidCertificate(error) => of_certificate(error),
        Error::AlertReceived(alert) => of_alert(*alert),
        Error::InvalidMessage(_) => {
            "what answers there does not speak TLS; check the port, or write http:// if it is a \
            pool without an identity"
                .into()
        }
        other => other.to_string(),
    })
}

/// Of the pool's.
fn of_certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "its certificate is not of the pool that was joined: somebody else answers there, or \
            the pool was given another identity; do not go on before \
             you know why, then join anew (`outhaul token join TOKEN`, on a node `outhaul serve \
             --join TOKEN`)"
                .into()
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired by this machine's clock; set the clock, here or on the \
            pool's machine, whichever is wrong"
                .into()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is of the future by this machine's clock; set the clock, here or on \
            the pool's machine, whichever is wrong"
                .into()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is not for the name in that URL; use a name that the pool has, or \
            start it with `outhaul pool serve --name HOST`"
                .into()
        }
        other => format!("its certificate cannot be used: {other}"),
    }
}

/// Of one's own certificate, since nothing else is shown.
fn of_alert(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::UnknownCA
        | AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::DecryptError => {
            "it does not take this node's certificate, which is of another pool; make a token with \
            `outhaul pool token node NAME` there, and join with it \
             (`outhaul serve --join TOKEN`)"
                .into()
        }
        AlertDescription::CertificateExpired => {
            "this node's certificate has expired by the pool's clock; set that if it is wrong, \
            else make a token with `outhaul pool token node NAME` \
             there, and join with it (`outhaul serve --join TOKEN`)"
                .into()
        }
        other => format!("it ends the handshake: {other:?}"),
    }
}
