use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::future::Future;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::thread;

use bus::{Payload, Services, answer};
use tokio::runtime::Builder;
use tracing::warn;

use crate::buffers;
use crate::conversation::{Conversation, largest_part};
use crate::library::{Functions, NOLONGJUMP, ServerFunctions, ServiceInfo, TPCONV, TPFAIL, TPSUCCESS};
use crate::typed::Typed;

const READABLE: u32 = 1;
const ARGUMENTS: c_int = 4;

type Answer = dyn Fn(&str, Payload) -> Result<Payload, String>;

/// The state of the functions that Enduro/X calls: it passes them nothing of the caller's.
#[derive(Clone)]
struct Server {
    functions: &'static Functions,
    own: &'static ServerFunctions,
    names: Vec<CString>,
    answer: Rc<Answer>,
    stop: Rc<UnixStream>,
}

thread_local! {
    static SERVER: RefCell<Option<Server>> = const { RefCell::new(None) };
}

/// Answers calls, one at a time, as a server of the domain that the `NDRX_*` variables describe; `id` is its number
/// there, from 1. It ends when `stop` does, or when the domain is shut down.
pub fn serve<F: Future<Output = ()>>(
    id: usize,
    services: impl Services + 'static,
    stop: impl FnOnce() -> io::Result<F> + Send + 'static,
) -> io::Result<()> {
    let functions = Functions::load().map_err(io::Error::other)?;
    let own = ServerFunctions::load().map_err(io::Error::other)?;
    let (stopping, stopped) = UnixStream::pair()?;
    let names = services.names().into_iter().map(CString::new).collect::<Result<_, _>>().map_err(io::Error::other)?;
    let answer: Rc<Answer> = Rc::new(move |name, payload| answer(&services, name, payload));
    SERVER.set(Some(Server { functions, own, names, answer, stop: Rc::new(stopped) }));
    let runtime = Builder::new_current_thread().enable_all().build()?;
    thread::spawn(move || {
        let ended = runtime.block_on(async {
            stop()?.await;
            io::Result::Ok(())
        });
        if let Err(error) = ended {
            warn!(%error, "only the domain's end stops this server");
            std::mem::forget(stopping);
        }
    });
    let program = CString::new(std::env::args().next().unwrap_or_default()).map_err(io::Error::other)?;
    let number = CString::new(id.to_string()).map_err(io::Error::other)?;
    let arguments = [program.as_ptr(), c"-i".as_ptr(), number.as_ptr(), c"--".as_ptr(), std::ptr::null()];
    let mut pointers = arguments.map(<*const c_char>::cast_mut);
    // SAFETY: the arguments outlive the call, and the functions keep the server until it ends.
    let status = unsafe { (own.ndrx_main_integra)(ARGUMENTS, pointers.as_mut_ptr(), Some(begin), None, NOLONGJUMP) };
    SERVER.set(None);
    match status {
        0 => Ok(()),
        _ => Err(io::Error::other(functions.words(functions.error()))),
    }
}

/// Offers the services.
unsafe extern "C" fn begin(_: c_int, _: *mut *mut c_char) -> c_int {
    let Some(server) = SERVER.with_borrow(Clone::clone) else { return -1 };
    status_of(server.begin())
}

/// Listens for the end; Enduro/X refuses that before it first waits for calls.
unsafe extern "C" fn listen() -> c_int {
    SERVER.with_borrow(Clone::clone).map_or(-1, |server| status_of(server.listen()))
}

fn status_of(done: Result<(), String>) -> c_int {
    match done {
        Ok(()) => 0,
        Err(error) => {
            warn!(error, "Enduro/X refuses the server");
            -1
        }
    }
}

unsafe extern "C" fn end(_: c_int, _: u32, _: *mut c_void) -> c_int {
    if let Some(server) = SERVER.with_borrow(Clone::clone) {
        // SAFETY: on the server's own thread.
        unsafe { (server.own.tpexit)() };
    }
    0
}

/// Answers one call, or one conversation.
unsafe extern "C" fn call(info: *mut ServiceInfo) {
    let Some(server) = SERVER.with_borrow(Clone::clone) else { return };
    // SAFETY: Enduro/X calls with what its header describes; it keeps the buffer until the service returns.
    let (name, flags, connection, data, length) = unsafe {
        let info = &*info;
        (CStr::from_ptr(info.name.as_ptr()).to_string_lossy(), info.flags, info.cd, info.data, info.len)
    };
    let result = if flags & TPCONV == 0 {
        server.called(&name, data, length)
    } else {
        server.conversed(&name, &Conversation { functions: server.functions, connection })
    };
    let (status, reply) = match result {
        Ok(reply) => (TPSUCCESS, reply),
        Err(failure) => (TPFAIL, server.failure(&failure)),
    };
    let (pointer, length) = reply.into_raw();
    // SAFETY: it frees the buffer, and returns here because it does not jump; nothing is left to be dropped twice.
    unsafe { (server.own.tpreturn)(status, 0, pointer, length, 0) };
}

impl Server {
    fn begin(&self) -> Result<(), String> {
        for name in &self.names {
            // SAFETY: the name ends with a zero byte, and the function has the type of a service.
            self.checked(unsafe { (self.own.tpadvertise_full)(name.as_ptr(), call, name.as_ptr()) })?;
        }
        // SAFETY: it is called on this thread.
        self.checked(unsafe { (self.own.tpext_addb4pollcb)(listen) })
    }

    fn listen(&self) -> Result<(), String> {
        // SAFETY: the descriptor is open until the server has ended.
        self.checked(unsafe {
            (self.own.tpext_delb4pollcb)();
            (self.own.tpext_addpollerfd)(self.stop.as_raw_fd(), READABLE, std::ptr::null_mut(), end)
        })
    }

    fn checked(&self, status: c_int) -> Result<(), String> {
        if status < 0 { Err(self.functions.words(self.functions.error())) } else { Ok(()) }
    }

    fn called(&self, name: &str, data: *mut c_char, length: c_long) -> Result<Typed, String> {
        // SAFETY: a typed buffer of Enduro/X, which frees it after the service.
        let received = std::mem::ManuallyDrop::new(unsafe { Typed::of(self.functions, data, length) });
        let reply = (self.answer)(name, buffers::from_typed(self.functions, &received)?)?;
        let typed = buffers::to_typed(self.functions, &reply)?;
        match buffers::size(self.functions, &reply, &typed) {
            size if size > largest_part() => Err(format!("the reply has {size} bytes, more than a message takes")),
            _ => Ok(typed),
        }
    }

    fn conversed(&self, name: &str, conversation: &Conversation) -> Result<Typed, String> {
        let (bytes, event) = conversation.receive().map_err(|error| self.functions.words(error))?;
        if !Conversation::may_send(event) {
            return Err("the caller ended the conversation".into());
        }
        let payload = Payload::from_tagged(&bytes).ok_or("the call is no typed buffer")?;
        let reply = (self.answer)(name, payload)?.to_tagged();
        Typed::carray(self.functions, conversation.send_but_last(&reply)?)
    }

    /// A failure's words as Enduro/X sends them.
    fn failure(&self, words: &str) -> Typed {
        let text = CString::new(words.replace('\0', " ")).unwrap_or_default();
        Typed::string(self.functions, &text).unwrap_or_else(|_| Typed::null(self.functions))
    }
}
