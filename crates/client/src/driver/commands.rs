//! Commands in the calling thread's context: posts, calls, and calls whose answers are remembered.

use crate::driver::contexts;
use crate::driver::state::driver;
use crate::objects::context_stack;
use crate::session::Memo;
use outhaul_abi::types::{CUfunction, CUresult};
use outhaul_wire::codec::{Call, Field, Message, Reader};

/// Posts a message in the calling thread's context.
pub fn post<'a, M: Message<'a>>(message: &M) -> Result<(), CUresult> {
    context_stack::target()?.post(message)
}

/// Calls `Target::barrier` in the calling thread's context, or without a context if it has none.
pub fn barrier() -> Result<(), CUresult> {
    contexts::target_or_none()?.barrier()
}

/// Calls `Target::ask` in the calling thread's context.
pub fn ask<'a, M: Message<'a> + Call>(message: &M) -> Result<(CUresult, Vec<u8>), CUresult> {
    context_stack::target()?.ask(message)
}

/// Calls `Target::call` in the calling thread's context.
pub fn call<'a, M: Message<'a> + Call, T>(
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<T, CUresult>,
) -> Result<T, CUresult> {
    context_stack::target()?.call(message, read)
}

/// Calls as `call` does, but asks each question only once.
pub fn call_memo<'a, M: Message<'a> + Call>(
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    call_remembered(&context_stack::target()?.session.memo, Vec::new(), message, read)
}

/// Calls as `call_memo` does, with a question about a function. The answer holds only for the
/// function's present attributes.
pub fn call_memo_of<'a, M: Message<'a> + Call>(
    function: CUfunction,
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    let function = driver()?.function(function.0 as u64)?;
    call_remembered(&function.memo, function.facts()?.attribute_bytes(), message, read)
}

/// The question includes `circumstances`.
fn call_remembered<'a, M: Message<'a> + Call>(
    memo: &Memo,
    circumstances: Vec<u8>,
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    let mut question = circumstances;
    context_stack::target()?.context.put(&mut question);
    M::OP.put(&mut question);
    message.put(&mut question);
    let body = match memo.get(&question) {
        Some(body) => body,
        None => {
            let (status, body) = ask(message)?;
            status.ok()?;
            memo.put(question, body.clone());
            body
        }
    };
    read(Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?)
}
