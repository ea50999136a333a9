//! The shim that makes system calls fail, and its control file.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub const EIO: i32 = 5;
pub const EAGAIN: i32 = 11;
pub const ENOMEM: i32 = 12;
pub const ENFILE: i32 = 23;
pub const ENOSPC: i32 = 28;

/// Calls that fail: of a class, the first `skip` succeed and the next ones do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    pub class: char,
    pub error: i32,
    pub skip: usize,
    pub count: usize,
}

/// The shim, compiled once by the compiler that SQLite needs, too.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let (source, folder) = (env!("CARGO_MANIFEST_DIR"), env!("CARGO_TARGET_TMPDIR"));
        let library = Path::new(folder).join(format!("faults-{}.so", std::process::id()));
        let compiled = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&library, &Path::new(source).join("tests/faults/shim.c")])
            .args(["-ldl", "-lpthread"])
            .status();
        assert!(compiled.unwrap().success());
        library
    })
}

/// The control file of one shim.
pub struct Control {
    path: PathBuf,
    generation: u32,
}

impl Control {
    pub fn new(folder: &Path) -> Control {
        let mut control = Control { path: folder.join("control"), generation: 0 };
        control.disarm();
        control
    }

    /// Lets a process have the shim.
    pub fn over(&self, mut command: Command) -> Command {
        command.env("LD_PRELOAD", library()).env("QUADRILLE_FAULTS", &self.path);
        command
    }

    fn write(&mut self, classes: &str, error: i32, skip: usize, count: usize) {
        self.generation += 1;
        let text = format!("{} {classes} {error} {skip} {count}\n", self.generation);
        // Replaced atomically, since the shim may read it at any time.
        let fresh = self.path.with_extension("new");
        std::fs::write(&fresh, text).unwrap();
        std::fs::rename(&fresh, &self.path).unwrap();
    }

    pub fn arm(&mut self, fault: &Fault) {
        self.write(&fault.class.to_string(), fault.error, fault.skip, fault.count);
    }

    /// Counts all calls and lets them succeed.
    pub fn count(&mut self) {
        self.write("wstmlo", 0, 0, usize::MAX >> 33);
    }

    pub fn disarm(&mut self) {
        self.write("-", 0, 0, 0);
    }

    /// The classes of the calls that failed, or were counted, since the last instruction.
    pub fn met(&self) -> String {
        let noted = std::fs::read_to_string(self.path.with_extension("met")).unwrap_or_default();
        let own = noted.lines().filter_map(|line| line.split_once(' '));
        let own = own.filter(|(generation, _)| generation.parse() == Ok(self.generation));
        own.filter_map(|(_, rest)| rest.chars().next()).collect()
    }

    /// Forgets what was noted.
    pub fn clear(&self) {
        let _ = std::fs::remove_file(self.path.with_extension("met"));
    }
}
