//! The functions of Enduro/X's libraries, and the numbers of its headers.

#![expect(non_snake_case, reason = "functions have the names of the libraries")]

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::os::unix::{Library as Opened, RTLD_GLOBAL, RTLD_NOW};

pub(crate) const TPNOBLOCK: c_long = 0x1;
pub(crate) const TPGETANY: c_long = 0x80;
pub(crate) const TPCONV: c_long = 0x400;
pub(crate) const TPSENDONLY: c_long = 0x800;
pub(crate) const TPRECVONLY: c_long = 0x1000;
pub(crate) const TPBLK_NEXT: c_long = 0x2;
pub(crate) const TPFAIL: c_int = 1;
pub(crate) const TPSUCCESS: c_int = 2;
pub(crate) const NOLONGJUMP: c_long = 1;

pub(crate) const TPEBLOCK: c_int = 3;
pub(crate) const TPELIMIT: c_int = 5;
pub(crate) const TPENOENT: c_int = 6;
pub(crate) const TPESVCERR: c_int = 10;
pub(crate) const TPESVCFAIL: c_int = 11;
pub(crate) const TPETIME: c_int = 13;
pub(crate) const TPEEVENT: c_int = 22;

pub(crate) const TPEV_SVCFAIL: c_long = 0x4;
pub(crate) const TPEV_SVCSUCC: c_long = 0x8;
pub(crate) const TPEV_SENDONLY: c_long = 0x20;

const SERVICE_NAME: usize = 31;

/// The beginning of TPSVCINFO: what a service is called with.
#[repr(C)]
pub(crate) struct ServiceInfo {
    pub(crate) name: [c_char; SERVICE_NAME],
    pub(crate) data: *mut c_char,
    pub(crate) len: c_long,
    pub(crate) flags: c_long,
    pub(crate) cd: c_int,
}

pub(crate) type ServiceFunction = unsafe extern "C" fn(*mut ServiceInfo);
pub(crate) type InitFunction = unsafe extern "C" fn(c_int, *mut *mut c_char) -> c_int;
pub(crate) type DoneFunction = unsafe extern "C" fn();
pub(crate) type BeforePollFunction = unsafe extern "C" fn() -> c_int;
pub(crate) type PollFunction = unsafe extern "C" fn(c_int, u32, *mut c_void) -> c_int;

macro_rules! functions {
    ($(#[$doc:meta])* $table:ident { $($name:ident($($argument:ty),*) $(-> $result:ty)?;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(crate) struct $table {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $table {
            fn of(libraries: &[Opened]) -> Result<Self, String> {
                Ok(Self { $(
                    // SAFETY: the type is that of the function in Enduro/X's headers.
                    $name: unsafe {
                        find::<unsafe extern "C" fn($($argument),*) $(-> $result)?>(libraries, stringify!($name))?
                    },
                )* })
            }
        }
    };
}

functions! {
    /// The functions of clients and servers.
    Functions {
        tpinit(*mut c_void) -> c_int;
        tpterm() -> c_int;
        tpalloc(*const c_char, *const c_char, c_long) -> *mut c_char;
        tpfree(*mut c_char);
        tptypes(*const c_char, *mut c_char, *mut c_char) -> c_long;
        tpacall(*const c_char, *mut c_char, c_long, c_long) -> c_int;
        tpgetrply(*mut c_int, *mut *mut c_char, *mut c_long, c_long) -> c_int;
        tpsblktime(c_int, c_long) -> c_int;
        tpconnect(*const c_char, *mut c_char, c_long, c_long) -> c_int;
        tpsend(c_int, *mut c_char, c_long, c_long, *mut c_long) -> c_int;
        tprecv(c_int, *mut *mut c_char, *mut c_long, c_long, *mut c_long) -> c_int;
        tpdiscon(c_int) -> c_int;
        tpstrerror(c_int) -> *const c_char;
        _exget_tperrno_addr() -> *mut c_int;
        Badd(*mut c_char, c_int, *const c_char, c_int) -> c_int;
        Bnext(*mut c_char, *mut c_int, *mut c_int, *mut c_char, *mut c_int) -> c_int;
        Bused(*mut c_char) -> c_long;
        Bstrerror(c_int) -> *const c_char;
        _Bget_Ferror_addr() -> *mut c_int;
    }
}

functions! {
    /// The functions of servers alone.
    ServerFunctions {
        ndrx_main_integra(c_int, *mut *mut c_char, Option<InitFunction>, Option<DoneFunction>, c_long) -> c_int;
        tpadvertise_full(*const c_char, ServiceFunction, *const c_char) -> c_int;
        tpreturn(c_int, c_long, *mut c_char, c_long, c_long);
        tpext_addb4pollcb(BeforePollFunction) -> c_int;
        tpext_delb4pollcb() -> c_int;
        tpext_addpollerfd(c_int, u32, *mut c_void, PollFunction) -> c_int;
        tpexit();
    }
}

/// Whether Enduro/X is where `NDRX_HOME` says; the error names what is missing.
pub fn installed() -> Result<(), String> {
    Functions::load().map(|_| ())
}

impl Functions {
    /// Those of the installation that `NDRX_HOME` names; the libraries stay open until the process ends.
    pub(crate) fn load() -> Result<&'static Self, String> {
        static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();
        LOADED.get_or_init(|| Self::of(libraries()?)).as_ref().map_err(Clone::clone)
    }

    /// Why the last call on this thread failed.
    pub(crate) fn error(&self) -> c_int {
        // SAFETY: the address is this thread's own error number.
        unsafe { *(self._exget_tperrno_addr)() }
    }

    /// The meaning of an error number.
    pub(crate) fn words(&self, error: c_int) -> String {
        // SAFETY: the text is constant, or this thread's until its next call.
        unsafe { CStr::from_ptr((self.tpstrerror)(error)) }.to_string_lossy().into_owned()
    }

    /// Why the last call that reads or writes a fielded buffer failed, in words.
    pub(crate) fn buffer_error(&self) -> String {
        // SAFETY: as above.
        unsafe { CStr::from_ptr((self.Bstrerror)(*(self._Bget_Ferror_addr)())) }.to_string_lossy().into_owned()
    }
}

impl ServerFunctions {
    /// As [`Functions::load`].
    pub(crate) fn load() -> Result<&'static Self, String> {
        static LOADED: OnceLock<Result<ServerFunctions, String>> = OnceLock::new();
        let loaded = LOADED.get_or_init(|| {
            libraries()?;
            let library = [opened(&folder()?.join("libatmisrvinteg.so"))?];
            let functions = Self::of(&library)?;
            // Dropped it would be closed, and its functions gone.
            std::mem::forget(library);
            Ok(functions)
        });
        loaded.as_ref().map_err(Clone::clone)
    }
}

fn libraries() -> Result<&'static [Opened], String> {
    static OPENED: OnceLock<Result<Vec<Opened>, String>> = OnceLock::new();
    let opened = OPENED.get_or_init(|| {
        let folder = folder()?;
        // Each needs those before it, whose symbols must be global.
        ["libnstd.so", "libubf.so", "libatmi.so"].iter().map(|name| opened(&folder.join(name))).collect()
    });
    opened.as_deref().map_err(Clone::clone)
}

/// Where the libraries lie: `lib64` on systems that distinguish it.
fn folder() -> Result<PathBuf, String> {
    let home = std::env::var_os("NDRX_HOME").filter(|home| !home.is_empty());
    let home = PathBuf::from(home.ok_or("NDRX_HOME is not set: give the folder where Enduro/X is installed")?);
    let folders = ["lib", "lib64"].map(|name| home.join(name));
    let found = folders.into_iter().find(|folder| folder.join("libatmi.so").exists());
    found.ok_or_else(|| format!("NDRX_HOME is {}, where lib/libatmi.so is missing: install Enduro/X", home.display()))
}

fn opened(path: &Path) -> Result<Opened, String> {
    // SAFETY: the initialisers of Enduro/X's libraries have no preconditions.
    unsafe { Opened::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map_err(|error| format!("{}: {error}", path.display()))
}

/// The function of this name in one of the libraries.
///
/// # Safety
/// `F` must be its type.
unsafe fn find<F: Copy>(libraries: &[Opened], name: &str) -> Result<F, String> {
    let found = libraries.iter().find_map(|library| {
        // SAFETY: as the caller promises.
        unsafe { library.get::<F>(name) }.ok().map(|symbol| *symbol)
    });
    found.ok_or_else(|| format!("the libraries of Enduro/X have no {name}: install version 8"))
}
