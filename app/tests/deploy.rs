//! `deploy/try`: missing programs are reported at once, and however it ends, nothing is left running. `deploy/check`:
//! tests units, rules and dashboard.

#[cfg(feature = "many")]
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The ports of the script.
const PORTS: [u16; 9] = [15432, 15433, 14222, 14223, 14224, 18000, 18001, 18002, 18003];

/// The script with a session and a folder of its own.
struct Try {
    script: Child,
    folder: PathBuf,
}

impl Try {
    fn start(name: &str, program: &Path) -> Try {
        let folder = folder(name);
        let script = Command::new("setsid")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/try"))
            .arg(program)
            .env("TMPDIR", &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Try { script, folder }
    }

    /// What the script said, when it has ended and nothing that it started is there any more.
    fn ends(self, time: Duration) -> Output {
        let session = self.script.id();
        let output = self.script.wait_with_output().unwrap();
        let end = Instant::now() + time;
        loop {
            let left = processes_of(session);
            let open =
                PORTS.into_iter().filter(|port| TcpStream::connect(("127.0.0.1", *port)).is_ok());
            let open: Vec<u16> = open.collect();
            if left.is_empty() && open.is_empty() {
                break;
            }
            assert!(Instant::now() < end, "left: {left:?}, ports {open:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
        output
    }
}

#[cfg(feature = "many")]
impl Try {
    /// Whether the log of a part is there.
    fn has_begun(&self, part: &str) -> bool {
        let folders = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        folders
            .map(|folder| folder.path())
            .any(|folder| folder.join(format!("{part}.log")).exists())
    }

    /// Sends a signal as soon as a part has begun. Ctrl-C reaches all processes of a terminal's foreground group, and
    /// bash counts on that: it ignores a SIGINT by which the command it waits for did not end.
    fn signal_when(&mut self, part: &str, signal: Signal) {
        let end = Instant::now() + Duration::from_secs(90);
        while !self.has_begun(part) {
            assert!(Instant::now() < end && self.script.try_wait().unwrap().is_none(), "no {part}");
            std::thread::sleep(Duration::from_millis(50));
        }
        let script = Pid::from_child(&self.script);
        match signal {
            Signal::INT => kill_process_group(script, signal).unwrap(),
            _ => kill_process(script, signal).unwrap(),
        }
    }
}

/// A folder that everybody may enter: the parts do not run as root.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("quadrille-try-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

/// A program that is a script.
fn script(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("program");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The processes of a session, by their names.
fn processes_of(session: u32) -> Vec<String> {
    let stats = fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    let of_session = |stat: String| {
        let (name, rest) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let lives = fields.first() != Some(&"Z");
        (lives && fields.get(3)?.parse() == Ok(session)).then(|| name.to_owned())
    };
    stats.filter_map(of_session).collect()
}

/// The ports are the same each time, so the tests take turns.
static TURN: Mutex<()> = Mutex::new(());

#[test]
fn a_program_for_one_machine_is_refused_in_one_line_before_anything_starts() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let own = folder("one-machine");
    let one = script(&own, &format!("echo 'quadrille: {}' >&2; exit 2", server::NOT_MANY));
    let began = Instant::now();
    let tried = Try::start("one-machine", &one);
    let output = tried.ends(Duration::ZERO);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("cargo build --release --features many"), "{said}");
    assert_eq!((said.lines().count(), output.stdout.len()), (1, 0), "{said}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    fs::remove_dir_all(own).unwrap();
}

#[test]
#[ignore = "needs Debian's prometheus: ./check --long"]
fn the_units_are_hardened_and_prometheus_finds_what_rules_and_dashboard_ask_for() {
    let output = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/check"))
        .arg(env!("CARGO_BIN_EXE_quadrille"))
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert_eq!(String::from_utf8(output.stdout).unwrap().matches(": exposure ").count(), 3);
}

#[cfg(feature = "many")]
#[test]
#[ignore = "takes long: ./check --long"]
fn whatever_ends_the_script_nothing_is_left_running() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let own = folder("many");
    let real = own.join("quadrille");
    fs::copy(env!("CARGO_BIN_EXE_quadrille"), &real).unwrap();
    // A server that does not start.
    let broken =
        format!("[ \"$1\" = work ] && exec {} \"$@\"; echo no such luck; exit 3", real.display());
    let tried = Try::start("broken", &script(&own, &broken));
    let kept = tried.folder.clone();
    let output = tried.ends(Duration::ZERO);
    fs::remove_dir(kept).unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no such luck\ndeploy/try: server1 does not answer"), "{said}");
    // Signals, early and late. A script that is killed cannot clean up after itself.
    for (name, part, signal, time) in [
        ("early", "nats2", Signal::TERM, Duration::ZERO),
        ("late", "nginx", Signal::INT, Duration::ZERO),
        ("killed", "server2", Signal::KILL, Duration::from_secs(20)),
    ] {
        let mut tried = Try::start(name, &real);
        tried.signal_when(part, signal);
        let folder = tried.folder.clone();
        tried.ends(time);
        let kept = fs::read_dir(&folder).unwrap().count();
        assert_eq!(kept == 0, signal != Signal::KILL, "{name}: {kept} folders");
        fs::remove_dir_all(folder).unwrap();
    }
    fs::remove_dir_all(own).unwrap();
}
