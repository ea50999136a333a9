//! A crowd of bots that plays on a server and measures it.
//!
//! `crowd ADDRESS GAMES MOVES_PER_SECOND SECONDS`: two sockets a game, turns at random, MOVES_PER_SECOND
//! in all games together. It measures the time from a player's send to the opponent's receipt of the committed
//! event. With 0 moves a second the sockets are only held open. All of them come from one address, so
//! the server must allow it enough (`--new-games`, `--allowance`, `--connections`). Several addresses, separated
//! by commas, are servers that share a store; the players of a game sit at different ones.

mod bots;

use bots::{Crowd, Failed, Times};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [address, games, rate, seconds] = args.as_slice() else {
        return Err("usage: crowd ADDRESS GAMES MOVES_PER_SECOND SECONDS".into());
    };
    let to = address.split(',').map(str::parse).collect::<Result<Vec<SocketAddr>, _>>()?;
    let from = to.first().ok_or("no address")?.ip();
    let (games, rate, seconds): (u32, f64, u64) = (games.parse()?, rate.parse()?, seconds.parse()?);
    server::http::connections::open_files();
    let warm_up = Duration::from_secs(3 + u64::from(games) / 400);
    let crowd = Arc::new(Crowd {
        to,
        pause: (rate > 0.0).then(|| Duration::from_secs_f64(f64::from(games) / rate)),
        until: Instant::now() + warm_up + Duration::from_secs(seconds),
        times: Times::default(),
    });
    let finished = Arc::new(AtomicU64::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..games {
        let (crowd, finished) = (Arc::clone(&crowd), Arc::clone(&finished));
        tasks.spawn(async move {
            // Not all at once: this is not meant to measure a stampede.
            tokio::time::sleep(Duration::from_micros(u64::from(number) * 2_000)).await;
            while Instant::now() < crowd.until {
                crowd.play(from, u64::from(number)).await?;
                finished.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), Failed>(())
        });
    }
    tokio::time::sleep(warm_up).await;
    crowd.times.take();
    let mut failures = 0;
    while let Some(done) = tasks.join_next().await {
        if let Err(error) = done? {
            failures += 1;
            eprintln!("a game failed: {error}");
        }
    }
    let times = crowd.times.take();
    println!(
        "{games} games, {} sockets, {} turns in {seconds} s ({:.0}/s), {} games over, {failures} failed",
        2 * games,
        times.count(),
        times.count() as f64 / seconds.max(1) as f64,
        finished.load(Ordering::Relaxed),
    );
    println!(
        "send to the opponent's receipt: p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms, most {:.1} ms",
        times.at(0.5),
        times.at(0.9),
        times.at(0.99),
        times.at(1.0),
    );
    Ok(())
}
