//! The key of a session. Client and worker agree on the key when the session begins. They exchange
//! key shares that tell an eavesdropper nothing (X25519, RFC 7748), and the key itself is never
//! sent.
//!
//! A client that calls for a lane again proves that it has the key, and so does the worker that
//! answers. The client then proves it once more, over a challenge that the worker has just made. So
//! an attacker gains nothing by replaying a call that it intercepted.

use outhaul_wire::codec::Field;
use outhaul_wire::handshake::{Challenge, Confirm, KeyShare, Proof, Rejoin, Rejoined};
use ring::agreement::{EphemeralPrivateKey, UnparsedPublicKey, X25519, agree_ephemeral};
use ring::hmac::{self, HMAC_SHA256};
use ring::rand::{SecureRandom, SystemRandom};
use std::io;

/// Purposes of a proof. A proof covers its purpose, so that a call's proof is not valid for an
/// answer.
const CALL: u8 = 1;
const ANSWER: u8 = 2;
const CONFIRM: u8 = 3;
const PURPOSE: &[u8] = b"outhaul: the key of a session";

/// One side of the key agreement.
pub struct KeyExchange {
    secret: EphemeralPrivateKey,
    /// The share to send to the other side.
    pub share: KeyShare,
}

impl KeyExchange {
    /// Generates a secret and its share. Fails if Linux provides no random numbers.
    pub fn begin() -> io::Result<KeyExchange> {
        let secret = EphemeralPrivateKey::generate(&X25519, &SystemRandom::new())
            .map_err(no_random_numbers)?;
        let share = secret
            .compute_public_key()
            .map_err(|_| io::Error::other("cannot compute a key share"))?;
        let share = share.as_ref().try_into().map_err(io::Error::other)?;
        Ok(KeyExchange { secret, share })
    }

    /// Returns the session's key, or None if the other side's share is invalid.
    pub fn agree(self, theirs: &KeyShare) -> Option<SessionKey> {
        let of_both = [PURPOSE, &self.share.min(*theirs), &self.share.max(*theirs)].concat();
        let derive = |secret: &[u8]| hmac::sign(&hmac::Key::new(HMAC_SHA256, secret), &of_both);
        let key =
            agree_ephemeral(self.secret, &UnparsedPublicKey::new(&X25519, theirs), derive).ok()?;
        Some(SessionKey(hmac::Key::new(HMAC_SHA256, key.as_ref())))
    }
}

fn no_random_numbers(_: ring::error::Unspecified) -> io::Error {
    io::Error::other("the system gives no random numbers")
}

/// The secret that only a session's client and worker know.
pub struct SessionKey(hmac::Key);

impl SessionKey {
    /// Returns the call with its proof.
    pub fn call(&self, call: Rejoin) -> Rejoin {
        Rejoin { proof: self.sign(&of_call(&call)), ..call }
    }

    /// Returns whether the session's client made this call.
    pub fn is_call(&self, call: &Rejoin) -> bool {
        hmac::verify(&self.0, &of_call(call), &call.proof).is_ok()
    }

    /// Returns the answer to `call`, with a fresh challenge and a proof. Fails if Linux provides no
    /// random numbers.
    pub fn answer(&self, call: &Rejoin, received: u64) -> io::Result<Rejoined> {
        let mut challenge = Challenge::default();
        SystemRandom::new().fill(&mut challenge).map_err(no_random_numbers)?;
        let answer = Rejoined { received, challenge, proof: Proof::default() };
        Ok(Rejoined { proof: self.sign(&of_answer(ANSWER, call, &answer)), ..answer })
    }

    /// Returns whether the session's worker gave this answer to this call.
    pub fn is_answer(&self, call: &Rejoin, answer: &Rejoined) -> bool {
        hmac::verify(&self.0, &of_answer(ANSWER, call, answer), &answer.proof).is_ok()
    }

    /// Returns the client's confirmation of an answer, with its proof.
    pub fn confirm(&self, call: &Rejoin, answer: &Rejoined) -> Confirm {
        Confirm { proof: self.sign(&of_answer(CONFIRM, call, answer)) }
    }

    /// Returns whether the session's client has received this answer to this call.
    pub fn is_confirm(&self, call: &Rejoin, answer: &Rejoined, confirm: &Confirm) -> bool {
        hmac::verify(&self.0, &of_answer(CONFIRM, call, answer), &confirm.proof).is_ok()
    }

    fn sign(&self, message: &[u8]) -> Proof {
        let mut proof = Proof::default();
        proof.copy_from_slice(hmac::sign(&self.0, message).as_ref());
        proof
    }
}

fn of_call(call: &Rejoin) -> Vec<u8> {
    [&[CALL], &*Rejoin { proof: Proof::default(), ..*call }.encoded()].concat()
}

fn of_answer(purpose: u8, call: &Rejoin, answer: &Rejoined) -> Vec<u8> {
    [
        &[purpose],
        &*call.encoded(),
        &Rejoined { proof: Proof::default(), ..answer.clone() }.encoded(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outhaul_wire::handshake::{NO_KEY_SHARE, PROTOCOL};
    use outhaul_wire::level::SPEC_HASH;

    /// Returns a session's key as each of the two sides computes it.
    fn agreed() -> (SessionKey, SessionKey) {
        let (client, worker) = (KeyExchange::begin().unwrap(), KeyExchange::begin().unwrap());
        let (of_client, of_worker) = (client.share, worker.share);
        (client.agree(&of_worker).unwrap(), worker.agree(&of_client).unwrap())
    }

    fn call() -> Rejoin {
        Rejoin {
            protocol: PROTOCOL,
            spec_hash: SPEC_HASH,
            session: [7; 16],
            lane: 2,
            attempt: 3,
            received: 4,
            proof: [0; 32],
        }
    }

    #[test]
    fn both_sides_prove_their_messages_and_a_proof_fits_no_other_message() {
        let (client, worker) = agreed();
        let call = client.call(call());
        assert!(worker.is_call(&call));
        let mut proof = call.proof;
        proof[31] ^= 1;
        for other in [
            Rejoin { lane: 1, ..call },
            Rejoin { attempt: 4, ..call },
            Rejoin { received: 5, ..call },
            Rejoin { session: [8; 16], ..call },
            Rejoin { proof, ..call },
        ] {
            assert!(!worker.is_call(&other), "{other:?}");
        }
        let answer = worker.answer(&call, 9).unwrap();
        assert!(client.is_answer(&call, &answer));
        assert!(!client.is_answer(&call, &Rejoined { received: 10, ..answer.clone() }));
        assert!(!client.is_answer(&call, &Rejoined { challenge: [0; 16], ..answer.clone() }));
        assert!(
            !client.is_answer(&client.call(Rejoin { attempt: 4, ..call }), &answer),
            "an answer to another call"
        );
        assert!(
            !client.is_answer(&call, &Rejoined { proof: call.proof, ..answer.clone() }),
            "a call is no answer"
        );
        let confirm = client.confirm(&call, &answer);
        assert!(worker.is_confirm(&call, &answer, &confirm));
        assert!(
            !worker.is_confirm(&call, &answer, &Confirm { proof: answer.proof }),
            "an answer confirms nothing"
        );
        let again = worker.answer(&call, 9).unwrap();
        assert!(
            !worker.is_confirm(&call, &again, &confirm),
            "the same call once more has another answer"
        );
    }

    #[test]
    fn an_eavesdropper_and_another_session_cannot_compute_the_key() {
        let ((_, worker), (stranger, _)) = (agreed(), agreed());
        assert!(!worker.is_call(&stranger.call(call())));
        let (client, worker) = (KeyExchange::begin().unwrap(), KeyExchange::begin().unwrap());
        let (received, own) = (client.share, KeyExchange::begin().unwrap());
        let key = worker.agree(&received).unwrap();
        assert!(!key.is_call(&own.agree(&received).unwrap().call(call())));
    }

    /// With a zero share or one of low order, anyone could compute the secret.
    #[test]
    fn no_share_and_those_of_low_order_give_no_key() {
        let mut one = NO_KEY_SHARE;
        one[0] = 1;
        for share in [NO_KEY_SHARE, one] {
            assert!(KeyExchange::begin().unwrap().agree(&share).is_none());
        }
    }
}
