//! Explains why TLS with a pool failed.

use rustls::{AlertDescription, CertificateError, Error};

/// How the text about a certificate of another authority begins.
pub const ANOTHER_POOL: &str = "its certificate is not of the pool that this machine joined";

/// Returns a text about the problem and its remedy, if `error` is a TLS error.
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
            "the server there does not speak TLS; check the port, or write http:// if it is a \
            pool without an identity"
                .into()
        }
        other => other.to_string(),
    })
}

/// Explains an error in the pool's certificate.
fn of_certificate(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            format!(
                "{ANOTHER_POOL}: another server answers there, or the pool was given another \
                identity; find out why before you continue, then join anew (`outhaul token join \
                TOKEN`, on a node `outhaul serve --join TOKEN`)"
            )
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired by this machine's clock; set the clock, here or on the \
            pool's machine, whichever is wrong"
                .into()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet by this machine's clock; set the clock, here or on \
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

/// Explains an alert. Alerts are about the node's own certificate, because users present none.
fn of_alert(alert: AlertDescription) -> String {
    match alert {
        AlertDescription::UnknownCA
        | AlertDescription::BadCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::DecryptError => {
            "it does not accept this node's certificate, which is from another pool; make a token \
            with `outhaul pool token node NAME` there, and join with it \
            (`outhaul serve --join TOKEN`)"
                .into()
        }
        AlertDescription::CertificateExpired => {
            "this node's certificate has expired by the pool's clock; set that if it is wrong, \
            else make a token with `outhaul pool token node NAME` \
             there, and join with it (`outhaul serve --join TOKEN`)"
                .into()
        }
        other => format!("it ended the handshake: {other:?}"),
    }
}
