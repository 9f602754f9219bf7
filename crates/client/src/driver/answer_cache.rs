//! Calls whose replies are cached.

use crate::driver::state::driver;
use crate::objects::context_stack;
use crate::session::AnswerCache;
use outhaul_abi::types::{CUfunction, CUresult};
use outhaul_wire::codec::{Call, Field, Message, Reader};

/// Calls in the calling thread's context and passes the reply to `read`. Uses the session's cached
/// reply if the same query was answered before.
pub fn call_cached<'a, M: Message<'a> + Call>(
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    call_with_cache(&context_stack::target()?.session.answer_cache, Vec::new(), message, read)
}

/// Calls as `call_cached` does, for a query about a function. A cached reply is valid only while
/// the function's attributes remain the same.
pub fn call_cached_of<'a, M: Message<'a> + Call>(
    function: CUfunction,
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    let function = driver()?.function(function.0 as u64)?;
    call_with_cache(&function.answer_cache, function.facts()?.attribute_bytes(), message, read)
}

/// Calls with a cache. The cache key consists of `circumstances`, the context, and the message.
fn call_with_cache<'a, M: Message<'a> + Call>(
    answer_cache: &AnswerCache,
    circumstances: Vec<u8>,
    message: &M,
    read: impl for<'r> FnOnce(M::Reply<'r>) -> Result<(), CUresult>,
) -> Result<(), CUresult> {
    let mut question = circumstances;
    let target = context_stack::target()?;
    target.context.put(&mut question);
    M::OP.put(&mut question);
    message.put(&mut question);
    let body = match answer_cache.get(&question) {
        Some(body) => body,
        None => {
            let response = target.call(message)?;
            response.ok()?;
            answer_cache.put(question, response.body.clone());
            response.body
        }
    };
    read(Reader::new(&body).whole().map_err(|_| CUresult::UNKNOWN)?)
}
