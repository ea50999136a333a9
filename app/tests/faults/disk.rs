//! A disk that is really full: a small file system in memory, where one may be mounted.

use super::client::Client;
use crate::wire::{Folder, Line, Server};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A file system of 2 MB that only processes in its own namespace see, and a server on it.
struct Small {
    shell: Child,
    server: String,
    address: String,
    /// The file system as one sees it from outside.
    inside: PathBuf,
}

impl Small {
    /// None where this is not permitted.
    fn start(folder: &Path) -> Option<Small> {
        let script = r#"mount -t tmpfs -o size=2m tmpfs "$1" && echo mounted && {
            "$0" serve --listen 127.0.0.1:0 --new-games 1000000 --allowance 1000000 --data "$1/games.db" &
            echo "server $!"; wait $!; exec sleep 600; }"#;
        let mut shell = Command::new("unshare")
            .args(["--map-root-user", "--mount", "sh", "-c", script])
            .arg(env!("CARGO_BIN_EXE_quadrille"))
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(shell.stdout.take()?).lines().map_while(Result::ok);
        if lines.next().as_deref() != Some("mounted") {
            let _ = shell.wait();
            return None;
        }
        let (mut server, mut address) = (String::new(), String::new());
        for line in lines.take(2) {
            let word = line.rsplit([' ', '/']).find(|word| !word.is_empty()).unwrap().to_owned();
            *(if line.starts_with("server") { &mut server } else { &mut address }) = word;
        }
        let folder = folder.strip_prefix("/").unwrap();
        let inside = Path::new("/proc").join(shell.id().to_string()).join("root").join(folder);
        Some(Small { shell, server, address, inside })
    }

    /// Writes until nothing fits any more.
    fn fill(&self) {
        let mut file = std::fs::File::create(self.inside.join("full")).unwrap();
        for size in [4_096, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
    }

    fn empty(&self) {
        std::fs::remove_file(self.inside.join("full")).unwrap();
    }

    fn kill(&mut self) {
        let server = std::mem::take(&mut self.server);
        if !server.is_empty() {
            let killed = Command::new("kill").args(["-9", &server]).status();
            assert!(killed.unwrap().success());
        }
    }

    /// Saves the files of the server.
    fn save(&self, to: &Path) {
        for name in ["games.db", "games.db-wal"] {
            std::fs::copy(self.inside.join(name), to.join(name)).unwrap();
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        self.kill();
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

#[test]
fn what_is_acknowledged_on_a_really_full_disk_is_kept() {
    let (folder, saved) = (Folder::new("disk"), Folder::new("disk-saved"));
    let Some(mut small) = Small::start(&folder.0) else {
        assert!(
            std::env::var_os("QUADRILLE_UNPRIVILEGED").is_some(),
            "no file system can be mounted here: run as root, or set QUADRILLE_UNPRIVILEGED=1 to leave this out"
        );
        return;
    };
    let mut client = Client::new(&small.address, 5, None);
    client.with_clocks();
    let mut line = Line::open(&small.address).unwrap();
    assert_eq!(line.ask("GET", "/api/ready", "", "").unwrap().0, 200);
    // A little longer than the disk is full.
    let clock = serde_json::json!({ "kind": "time", "seconds": 5 });
    let person = serde_json::json!({ "kind": "person" });
    let seats = [&person, &person];
    let wanted = serde_json::json!({ "game": "gekitai", "seats": seats, "clock": clock });
    let timed = client.make(&wanted).unwrap();
    (0..2).for_each(|_| client.play(timed).unwrap());
    small.fill();
    // Whatever the log has allocated already is used up first.
    let wanted = serde_json::json!({ "game": "gekitai", "seats": seats }).to_string();
    let refused = loop {
        let (status, body) = line.ask("POST", "/api/games", "", &wanted).unwrap();
        if status != 201 {
            break (status, body);
        }
        client.known.made += 1;
    };
    assert_eq!(refused.0, 503, "{}", refused.1);
    assert!(
        refused.1.contains("full") && refused.1.contains("nothing was stored"),
        "{}",
        refused.1
    );
    let (status, body) = line.ask("GET", "/api/ready", "", "").unwrap();
    assert!(status == 503 && body.contains("full"), "{status} {body}");
    std::thread::sleep(std::time::Duration::from_millis(4_600));
    small.empty();
    while line.ask("GET", "/api/ready", "", "").unwrap().0 != 200 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // Its clock would have run out by now.
    client.play(timed).unwrap();
    client.shared();
    client.with_clocks();
    assert_eq!(client.known.refusals, 0, "there is space again");
    let known = client.known;
    small.kill();
    small.save(&saved.0);
    let server = Server::start(&saved.0);
    known.check(&server.address, &saved.0.join("games.db"));
    server.kill();
}
