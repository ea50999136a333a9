//! Static hosts as people run them: Python's `http.server` and nginx.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A static file server, and how it is set up.
#[derive(Clone, Copy, Debug)]
pub enum Program {
    /// Redirects `/play` to `/play/`, and has no page of its own for what is missing.
    Python,
    /// The same, from nginx as Debian sets it up.
    Nginx,
    /// Answers `/play` without a redirect, and what is missing with `404.html`.
    NginxWithFallback,
}

/// A running host; its folder and process go away with it.
pub struct Host {
    program: Program,
    /// The path below which the site lies, from slash to slash.
    base: &'static str,
    folder: PathBuf,
    port: u16,
    process: Option<Child>,
}

impl Host {
    /// A host with the site that `quadrille site` writes.
    pub fn start(program: Program, base: &'static str) -> Host {
        let host = Host::empty(program, base);
        host.write_site();
        host
    }

    /// A host without any files.
    pub fn empty(program: Program, base: &'static str) -> Host {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("quadrille-host-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(folder.join("root")).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut host = Host { program, base, folder, port, process: None };
        host.come_back();
        host
    }

    /// The address of a page, whose path does not begin with a slash.
    pub fn page(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{}{path}", self.port, self.base)
    }

    /// The folder of the site.
    pub fn site(&self) -> PathBuf {
        self.folder.join("root").join(self.base.trim_start_matches('/'))
    }

    pub fn write_site(&self) {
        let written = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .args(["site", "-o"])
            .arg(self.site())
            .output()
            .unwrap();
        assert!(written.status.success(), "{written:?}");
    }

    /// Turns the site into that of another version, as a new release would.
    pub fn release(&self, version: &str) {
        let assets = self.site().join("assets");
        let old = fs::read_dir(&assets).unwrap().next().unwrap().unwrap().file_name();
        let old = old.to_str().unwrap();
        fs::rename(assets.join(old), assets.join(version)).unwrap();
        for name in ["index.html", "play/index.html", "manifest.webmanifest", "sw.js"] {
            let path = self.site().join(name);
            let text = fs::read_to_string(&path).unwrap().replace(old, version);
            fs::write(path, text).unwrap();
        }
    }

    /// Ends the program: nobody answers until it comes back.
    pub fn go_away(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }

    /// Starts the program at the same address as before.
    pub fn come_back(&mut self) {
        let root = self.folder.join("root");
        let mut command = match self.program {
            Program::Python => python(&root, self.port),
            Program::Nginx => self.nginx(""),
            Program::NginxWithFallback => {
                let base = self.base;
                self.nginx(&format!(
                    "error_page 404 {base}404.html; \
                     location / {{ try_files $uri $uri/index.html =404; }}"
                ))
            }
        };
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.process = Some(process.unwrap_or_else(|error| panic!("{command:?}: {error}")));
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(20), "{command:?} does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// nginx as an ordinary process with a configuration of its own.
    fn nginx(&self, more: &str) -> Command {
        let (folder, port) = (self.folder.display(), self.port);
        let scratch: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {folder}/{name};\n"))
            .concat();
        let settings = format!(
            "daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nevents {{}}\nhttp {{\n\
             include /etc/nginx/mime.types;\ndefault_type application/octet-stream;\n\
             access_log off;\n{scratch}\
             server {{ listen 127.0.0.1:{port}; root {folder}/root; {more} }}\n}}\n"
        );
        let file = self.folder.join("nginx.conf");
        fs::write(&file, settings).unwrap();
        // Debian puts it where only root looks.
        let own = Path::new("/usr/sbin/nginx");
        let mut command = Command::new(if own.exists() { own } else { Path::new("nginx") });
        command.args(["-e", "stderr", "-c"]).arg(file);
        command
    }
}

fn python(root: &Path, port: u16) -> Command {
    let mut command = Command::new("python3");
    command.args(["-m", "http.server", "--bind", "127.0.0.1", &port.to_string(), "-d"]).arg(root);
    command
}

impl Drop for Host {
    fn drop(&mut self) {
        self.go_away();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
