//! A lost connection is taken neither for a commit nor for a failure.

use crate::common::services::{postgres, url};
use crate::common::within;
use crate::stores::{append, event};
use server::store::{self, Append, Appended, Store, Tip};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What happens to the next bytes.
const PASS: u8 = 0;
const SWALLOW_QUESTION: u8 = 1;
const SWALLOW_ANSWER: u8 = 2;

/// A connection to the database that can be cut.
struct Wire {
    port: u16,
    next: Arc<AtomicU8>,
    cuts: Arc<AtomicUsize>,
}

impl Wire {
    async fn new(to: u16) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (next, cuts) = (Arc::new(AtomicU8::new(PASS)), Arc::new(AtomicUsize::new(0)));
        let own = (Arc::clone(&next), Arc::clone(&cuts));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, to, own.clone()));
            }
        });
        Wire { port, next, cuts }
    }

    fn cut(&self, how: u8) {
        self.next.store(how, Ordering::SeqCst);
    }
}

async fn carry(mut client: TcpStream, to: u16, (next, cuts): (Arc<AtomicU8>, Arc<AtomicUsize>)) {
    let mut server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
    let (mut asked, mut told) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let is_next = |how: u8| {
        let cut = next.compare_exchange(how, PASS, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        cuts.fetch_add(usize::from(cut), Ordering::SeqCst);
        cut
    };
    loop {
        tokio::select! {
            read = client.read(&mut asked) => match read {
                Ok(count @ 1..) if !is_next(SWALLOW_QUESTION) => {
                    if server.write_all(&asked[..count]).await.is_err() { return; }
                }
                _ => return,
            },
            read = server.read(&mut told) => match read {
                Ok(count @ 1..) if !is_next(SWALLOW_ANSWER) => {
                    if client.write_all(&told[..count]).await.is_err() { return; }
                }
                _ => return,
            },
        }
    }
}

#[tokio::test]
async fn what_a_lost_connection_leaves_open_is_looked_up() {
    let postgres = postgres();
    let database = postgres.database();
    let wire = Wire::new(postgres.port).await;
    let data = url(wire.port, &database);
    let (store, _end) = store::open(data.as_ref(), Arc::default()).await.unwrap();
    // Once the statement is prepared, the next request is the append itself.
    store.append(append("g", vec![event(1, None)])).await.unwrap();
    for round in 0..40 {
        let seq = 2 + 2 * round;
        wire.cut(if round % 2 == 0 { SWALLOW_QUESTION } else { SWALLOW_ANSWER });
        let own = append("g", vec![event(seq, Some(&format!("c{seq}"))), event(seq + 1, None)]);
        let done = within(store.append(own)).await;
        assert_eq!(done, Ok(Appended::Committed), "{seq}");
        assert_eq!(wire.cuts.load(Ordering::SeqCst), round as usize + 1, "the line was cut");
    }
    // Somebody else's event is not mistaken for one's own.
    wire.cut(SWALLOW_ANSWER);
    let done = within(store.append(append("g", vec![event(80, Some("other"))]))).await;
    assert_eq!(done, Ok(Appended::Conflict));
    let rows = postgres.ask(&database, "SELECT count(*), count(DISTINCT command) FROM events");
    assert_eq!(rows, ["81|40"]);
}

#[tokio::test]
async fn servers_that_append_in_any_order_do_not_wait_for_each_other_in_a_circle() {
    let postgres = postgres();
    let database = postgres.database();
    let data = postgres.url(&database);
    let mut stores: Vec<Arc<dyn Store>> = Vec::new();
    for _ in 0..3 {
        stores.push(store::open(data.as_ref(), Arc::default()).await.unwrap().0);
    }
    let mut tasks = tokio::task::JoinSet::new();
    for (number, store) in stores.into_iter().enumerate() {
        for task in 0..40 {
            let store = Arc::clone(&store);
            tasks.spawn(async move {
                let mut committed = 0;
                for round in 1..=20 {
                    // Each server goes through the games in a different order.
                    let game = format!("g{}", (task * (number * 2 + 1)) % 40);
                    let name = format!("{number}-{task}-{round}");
                    let events = store.events(&game, 0, usize::MAX).await.unwrap();
                    let next = event(events.len() as i64 + 1, Some(&name));
                    let after = events.last().map(Tip::of);
                    let own = Append { after, ..append(&game, vec![next]) };
                    let done = within(store.append(own)).await.unwrap();
                    committed += usize::from(done == Appended::Committed);
                }
                committed
            });
        }
    }
    let committed: usize = tasks.join_all().await.iter().sum();
    let stored = postgres.ask(&database, "SELECT count(*) FROM events");
    assert_eq!(stored, [committed.to_string()]);
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(postgres.ask(&database, deadlocks), ["0"]);
}

#[tokio::test]
async fn a_database_of_another_program_or_of_a_newer_version_is_refused_in_one_line() {
    let postgres = postgres();
    let refused = async |sql: &str| {
        let database = postgres.database();
        postgres.ask(&database, sql);
        let data = postgres.url(&database);
        let opened = store::open(data.as_ref(), Arc::default()).await;
        opened.err().expect("it is refused").to_string()
    };
    let foreign = refused("CREATE TABLE events (day DATE)").await;
    assert!(foreign.contains("it belongs to another program"), "{foreign}");
    let sql = "CREATE TABLE quadrille_format (format INTEGER, least INTEGER); INSERT INTO quadrille_format VALUES (99, 98)";
    let newer = refused(sql).await;
    assert!(newer.contains("it has format 99, but this version knows"), "{newer}");
    let away = store::open("postgres://nobody:secret@127.0.0.1:9/x".as_ref(), Arc::default()).await;
    let away = away.err().expect("nobody is there").to_string();
    assert!(away.starts_with("cannot keep games in `postgres://127.0.0.1:9/x`: "), "{away}");
}
