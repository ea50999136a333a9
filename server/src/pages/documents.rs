//! Responses that are the same for everybody: created and compressed once, off the async threads, and cached as long as
//! there is room.

use super::packing::{accepted, mark, packed};
use crate::work::replays::Replays;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use table::Refusal;

/// The size of the cache in bytes.
pub const MOST: usize = 64 << 20;

/// Roughly how many bytes an entry takes besides its name and document.
const OF_AN_ENTRY: usize = 200;

/// A body, and its compressed form if that is smaller.
#[derive(Clone, Debug)]
pub struct Document {
    kind: &'static str,
    plain: Bytes,
    packed: Option<Bytes>,
}

impl Document {
    /// Compresses the body now, unless the caller has done so.
    pub fn new(kind: &'static str, plain: impl Into<Bytes>, done: Option<Bytes>) -> Document {
        let plain = plain.into();
        let packed = done.unwrap_or_else(|| packed(&plain, Compression::default()).into());
        let packed = Some(packed).filter(|packed| packed.len() < plain.len());
        Document { kind, plain, packed }
    }

    fn weight(&self) -> usize {
        self.plain.len() + self.packed.as_ref().map_or(0, Bytes::len)
    }

    /// The response, compressed if the client accepts that.
    pub fn answer(&self, asked: &HeaderMap) -> Response {
        let packed = self.packed.clone().filter(|_| accepted(asked));
        let is_packed = packed.is_some();
        let mut response = packed.unwrap_or_else(|| self.plain.clone()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        if self.packed.is_some() {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        if is_packed {
            mark(headers);
        }
        response
    }
}

type Cell = Arc<OnceLock<Result<Document, Refusal>>>;

struct Entry {
    cell: Cell,
    weight: usize,
    /// A counter's value when the document was last requested.
    used: u64,
}

#[derive(Default)]
struct Kept {
    entries: HashMap<String, Entry>,
    weight: usize,
    asked: u64,
}

impl Kept {
    /// The cell for a name, which may still be empty.
    fn cell(&mut self, name: &str) -> Cell {
        self.asked += 1;
        if let Some(entry) = self.entries.get_mut(name) {
            entry.used = self.asked;
            return Arc::clone(&entry.cell);
        }
        let weight = name.len() + OF_AN_ENTRY;
        let entry = Entry { cell: Cell::default(), weight, used: self.asked };
        let cell = Arc::clone(&entry.cell);
        self.weight += weight;
        self.entries.insert(name.to_owned(), entry);
        cell
    }

    /// Counts the size of a new document; a refusal is not cached.
    fn weigh(&mut self, name: &str, cell: &Cell) {
        let Some(entry) = self.entries.get_mut(name).filter(|own| Arc::ptr_eq(&own.cell, cell))
        else {
            return;
        };
        match cell.get() {
            Some(Ok(document)) => {
                let weight = name.len() + OF_AN_ENTRY + document.weight();
                self.weight += weight - entry.weight;
                entry.weight = weight;
            }
            Some(Err(_)) => self.forget(name),
            None => {}
        }
    }

    fn forget(&mut self, name: &str) {
        self.weight -= self.entries.remove(name).map_or(0, |entry| entry.weight);
    }

    /// Evicts the least recently used documents when the cache is over its limit, down to three quarters of it:
    /// sorting the list for every new document would be slow.
    fn make_room(&mut self, most: usize) {
        if self.weight <= most {
            return;
        }
        let mut names: Vec<_> =
            self.entries.iter().map(|(name, entry)| (entry.used, name.clone())).collect();
        names.sort_unstable();
        for (_, name) in names {
            if self.weight <= most / 4 * 3 {
                break;
            }
            self.forget(&name);
        }
    }
}

/// A cache of documents by name; clones share it.
#[derive(Clone)]
pub struct Documents {
    /// Where documents are created.
    pub replays: Replays,
    most: usize,
    kept: Arc<Mutex<Kept>>,
}

impl Documents {
    pub fn new(replays: Replays) -> Documents {
        Documents { replays, most: MOST, kept: Arc::default() }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A document from the cache, or one created in this client's turn. If many clients request it at once, each waits
    /// for its own turn, so that nobody queues behind another address's work; the first to get a turn creates it.
    pub async fn get(
        &self,
        name: &str,
        client: IpAddr,
        make: impl FnOnce() -> Result<Document, Refusal> + Send + 'static,
    ) -> Result<Document, Refusal> {
        let cell = self.kept().cell(name);
        if let Some(made) = cell.get() {
            return made.clone();
        }
        let (own, name) = (self.clone(), name.to_owned());
        // The document is created and cached even if the client disconnects meanwhile.
        let work = move || {
            let made = cell.get_or_init(make).clone();
            let mut kept = own.kept();
            kept.weigh(&name, &cell);
            kept.make_room(own.most);
            made
        };
        self.replays.run(client, work).await?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::limits::Limits;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    fn documents(most: usize) -> Documents {
        let limits = Arc::new(Limits::new(1_000_000, 1, false));
        Documents { most, ..Documents::new(Replays::new(4, limits)) }
    }

    fn text(length: usize) -> Document {
        Document::new("text/plain", vec![b'x'; length], None)
    }

    #[tokio::test]
    async fn a_document_that_many_ask_for_at_once_is_made_once_and_on_no_async_thread() {
        let (documents, made) = (documents(MOST), Arc::new(AtomicUsize::new(0)));
        let here = std::thread::current().id();
        let asked = (0..50).map(|number| {
            let (documents, made) = (documents.clone(), Arc::clone(&made));
            tokio::spawn(async move {
                let make = move || {
                    made.fetch_add(1, Ordering::Relaxed);
                    assert_ne!(std::thread::current().id(), here);
                    Ok(text(5_000))
                };
                documents.get("/", address(number % 5), make).await
            })
        });
        for asked in asked.collect::<Vec<_>>() {
            assert_eq!(asked.await.unwrap().unwrap().plain.len(), 5_000);
        }
        assert_eq!(made.load(Ordering::Relaxed), 1);
        let again = documents.get("/", address(9), || unreachable!("it is there")).await;
        assert!(again.unwrap().packed.is_some_and(|packed| packed.len() < 100));
    }

    #[tokio::test]
    async fn the_least_recently_used_documents_are_dropped_when_there_is_no_room() {
        let documents = documents(100_000);
        let ask = async |number: usize, length: usize| {
            let name = format!("/{number}");
            documents.get(&name, address(1), move || Ok(text(length))).await.unwrap().plain.len()
        };
        for number in 0..200 {
            ask(number, 10_000).await;
            assert_eq!(ask(0, 1).await, 10_000, "it is asked for all the time");
            let kept = documents.kept();
            assert!(kept.weight <= 100_000, "{}", kept.weight);
            assert_eq!(kept.weight, kept.entries.values().map(|entry| entry.weight).sum::<usize>());
        }
        assert_eq!(ask(1, 7).await, 7, "it had been forgotten");
    }

    #[tokio::test]
    async fn what_is_refused_is_tried_again() {
        let documents = documents(MOST);
        let refused = documents.get("/", address(1), || Err(Refusal::not_there("not yet"))).await;
        assert_eq!(refused.unwrap_err().message, "not yet");
        assert_eq!(documents.kept().weight, 0);
        assert!(documents.get("/", address(1), || Ok(text(1))).await.is_ok());
    }
}
