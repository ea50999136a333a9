//! The outermost middleware: access checks, rate limits, security headers and the request log.

use crate::StartError;
use crate::http::limits::{self, Limits, Slot};
use crate::http::meter::Meter;
use crate::http::refused::Refused;
use crate::metrics::Metrics;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use rules::game::shorten;
use std::any::Any;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use table::Refusal;
use tower_http::catch_panic::CatchPanicLayer;

/// The largest request body.
pub const MOST_BODY: usize = 64 << 10;

const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
     manifest-src 'self'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";
const EMBED_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
     manifest-src 'self'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors *";

/// Browser features that no page here needs.
const PERMISSIONS: &str = "accelerometer=(), camera=(), display-capture=(), \
     geolocation=(), gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), \
     serial=(), usb=(), xr-spatial-tracking=()";

/// The client's address.
#[derive(Clone, Copy, Debug)]
pub struct Client(pub IpAddr);

/// `host` or `host:port` of the public URL, in lower case.
pub fn authority(base_url: &str) -> Result<String, StartError> {
    let wrong = |reason: &str| {
        let url = shorten(base_url);
        StartError(format!("--base-url `{url}`: {reason}, as in https://play.example.org"))
    };
    let uri: Uri = base_url.parse().map_err(|_| wrong("expected a URL"))?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(wrong("expected http:// or https:// and a host"));
    }
    let authority = uri.authority().map(|own| own.as_str().to_lowercase()).unwrap_or_default();
    if uri.host().is_none_or(str::is_empty) || authority.contains('@') {
        return Err(wrong("expected a host after the slashes"));
    }
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() || base_url.contains('#') {
        return Err(wrong("the server needs a host of its own, without a path"));
    }
    Ok(authority)
}

pub struct Guard {
    proxies: Proxies,
    /// `host` or `host:port` of the public URL.
    base: Option<String>,
    local: bool,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
    /// Log throttles: one for 503s, one for other errors.
    failures: [Seldom; 2],
    seated: Seated,
}

/// Whether a request comes from a player at a seat.
pub type Seated = Box<dyn Fn(&Request) -> bool + Send + Sync>;

/// Throttles a kind of error in the log to one line per second: while the store is down, the server is stopping or a
/// game is damaged, every request fails.
#[derive(Debug, Default)]
struct Seldom(Mutex<(Option<Instant>, u64)>);

impl Seldom {
    /// Counts a response. If a line is due, returns how many there were since the last one.
    fn count(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (logged, count) = &mut *state;
        *count += 1;
        if logged.is_some_and(|at| now.duration_since(at) < Duration::from_secs(1)) {
            return None;
        }
        *logged = Some(now);
        Some(std::mem::take(count))
    }
}

/// Delay before a rate-limited request is refused, because the client would only ask again at once.
const TARPIT: Duration = Duration::from_millis(500);

impl Guard {
    pub fn new(
        listen: SocketAddr,
        base_url: Option<&str>,
        proxies: &[IpAddr],
        limits: Arc<Limits>,
        metrics: Arc<Metrics>,
        seated: Seated,
    ) -> Guard {
        let proxies = Proxies::new(base_url.is_some(), proxies);
        let base = base_url.and_then(|url| authority(url).ok());
        let (local, failures) = (listen.ip().is_loopback(), Default::default());
        Guard { proxies, base, local, limits, metrics, failures, seated }
    }

    /// Charges the client. Players at a seat are not affected by others at their address who have exceeded the limit.
    fn pay(&self, client: IpAddr, request: &Request) -> Result<(), Refusal> {
        let price = price(request);
        self.limits.spend(client, price).or_else(|refusal| match (self.seated)(request) {
            true => self.limits.spend_at_seat(client, price),
            false => Err(refusal),
        })
    }

    /// Why a request is refused, if it is.
    fn objection(&self, request: &Request) -> Option<Refusal> {
        let headers = request.headers();
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Some(Refusal::not_understood("expected a single Host header"));
        }
        let host = text(headers, header::HOST).map(str::to_lowercase);
        if host.as_ref().is_some_and(|host| !self.knows(host)) {
            let error = "this server does not answer to this host name; its operator can set it with --base-url";
            return Some(Refusal::forbidden(error));
        }
        let socket = headers.contains_key(header::UPGRADE);
        if request.method().is_safe() && !socket {
            return None;
        }
        let foreign = || Refusal::forbidden("cross-site requests are refused");
        let site = text(headers, HeaderName::from_static("sec-fetch-site"));
        if site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Some(foreign());
        }
        let origin = headers.get(header::ORIGIN)?.to_str().unwrap_or_default().to_lowercase();
        let from = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        let own = from.is_some_and(|from| {
            host.as_deref() == Some(from) || self.base.as_deref() == Some(from)
        });
        (!own).then(foreign)
    }

    /// Whether a host name may be this server's. Unknown names are refused because of DNS rebinding.
    fn knows(&self, host: &str) -> bool {
        let without_port = |text: &str| match text.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name.to_owned(),
            _ => text.to_owned(),
        };
        let name = without_port(host);
        let address = name.trim_start_matches('[').trim_end_matches(']');
        name == "localhost"
            || name.ends_with(".localhost")
            || address.parse::<IpAddr>().is_ok()
            || self.base.as_deref().map_or(!self.local, |base| without_port(base) == name)
    }

    /// The client's address: behind a trusted proxy, the one given in X-Forwarded-For.
    fn client(&self, request: &Request) -> IpAddr {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        match self.proxies.include(peer) {
            true => forwarded(request.headers()).unwrap_or(peer),
            false => peer,
        }
    }
}

/// Proxies whose X-Forwarded-For is trusted.
#[derive(Clone, Debug)]
pub struct Proxies(Option<Vec<IpAddr>>);

impl Proxies {
    /// If the server is behind a proxy: those on this machine, and `others`. Otherwise none.
    pub fn new(proxied: bool, others: &[IpAddr]) -> Proxies {
        Proxies(proxied.then(|| others.to_vec()))
    }

    pub fn include(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.0.as_ref().is_some_and(|others| peer.is_loopback() || others.contains(&peer))
    }
}

/// The last address in X-Forwarded-For, the one our own proxy appended; clients can forge those before it.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?;
    let last = last.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok().or_else(|| Some(last.parse::<SocketAddr>().ok()?.ip()))
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What a request costs before it is processed. A body of unknown length is charged as the largest.
fn price(request: &Request) -> u32 {
    let headers = request.headers();
    let told = text(headers, header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    let unknown =
        if headers.contains_key(header::TRANSFER_ENCODING) { MOST_BODY as u64 } else { 0 };
    limits::REQUEST + limits::of_body(told.unwrap_or(unknown).min(MOST_BODY as u64))
}

/// Charges the client for the time that a request takes on the async threads.
async fn watch(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let client = guard.client(&request);
    let meter = Meter::new(&guard.limits, client, limits::REQUEST);
    meter.run(check(&guard, client, request, next)).await
}

/// Checks, charges and logs a request. Query strings and headers are not logged.
async fn check(guard: &Guard, client: IpAddr, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or("other", MatchedPath::as_str).to_owned();
    request.extensions_mut().insert(Client(client));
    let mut response = match guard.pay(client, &request) {
        Err(refusal) => {
            tokio::time::sleep(TARPIT).await;
            Refused(refusal).into_response()
        }
        Ok(()) => match guard.objection(&request) {
            Some(refusal) => Refused(refusal).into_response(),
            None => next.run(request).await,
        },
    };
    if let Some(length) = response.body().size_hint().exact() {
        guard.limits.charge(client, limits::of_answer(length));
    }
    if path.starts_with("/api/") {
        response = held(guard, client, response);
    }
    add_headers(&path, &method, response.headers_mut());
    let status = response.status();
    guard.metrics.answered(&route, status.as_u16(), started.elapsed());
    if status == StatusCode::TOO_MANY_REQUESTS {
        guard.metrics.limited.fetch_add(1, Ordering::Relaxed);
    }
    let (status, ms) = (status.as_u16(), started.elapsed().as_secs_f64() * 1e3);
    let path = path.chars().take(200).collect::<String>();
    let [unavailable, broken] = &guard.failures;
    match status {
        503 => {
            if let Some(count) = unavailable.count(Instant::now()) {
                tracing::warn!(%method, path, status, count, %client, "requests refused as unavailable");
            }
        }
        500.. => {
            if let Some(count) = broken.count(Instant::now()) {
                tracing::error!(%method, path, status, count, ms, %client, "requests failed");
            }
        }
        _ => tracing::info!(%method, path, status, ms, %client, "request"),
    }
    response
}

/// Counts an answer until the client has read it; refuses the request if the client has too many unread answers.
fn held(guard: &Guard, client: IpAddr, response: Response) -> Response {
    let Some(length) = response.body().size_hint().exact() else { return response };
    match guard.limits.unread.take_some(client, usize::try_from(length).unwrap_or(usize::MAX)) {
        Ok(slot) => response.map(|body| Body::new(Held { body, slot: Arc::new(slot) })),
        Err(refusal) => Refused(refusal).into_response(),
    }
}

/// A body that counts as unread until its bytes are dropped: hyper takes the bytes at once, but keeps them until they
/// are sent.
struct Held {
    body: Body,
    slot: Arc<Slot>,
}

struct Unread {
    bytes: Bytes,
    _slot: Arc<Slot>,
}

impl AsRef<[u8]> for Unread {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        let slot = &self.slot;
        let counted = |bytes| Bytes::from_owner(Unread { bytes, _slot: Arc::clone(slot) });
        frame.map_ok(|frame| frame.map_data(counted))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn add_headers(path: &str, method: &Method, headers: &mut HeaderMap) {
    let policy = if path.starts_with("/embed/") { EMBED_POLICY } else { POLICY };
    let mut put = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    put(header::CONTENT_SECURITY_POLICY, policy);
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(header::REFERRER_POLICY, "no-referrer");
    // Public data is readable from any origin. A token would need a preflight request, which is never granted.
    let public = path.starts_with("/api/") && method.is_safe();
    let readers = if public { "cross-origin" } else { "same-origin" };
    put(HeaderName::from_static("cross-origin-resource-policy"), readers);
    if public {
        put(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    }
    put(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    put(HeaderName::from_static("permissions-policy"), PERMISSIONS);
    if path.starts_with("/api/") && !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// Wraps a router in the guard, the body limit and the panic handler.
pub fn around(router: Router, guard: Guard) -> Router {
    let metrics = Arc::clone(&guard.metrics);
    let caught = move |panic: Box<dyn Any + Send>| panicked(&metrics, panic.as_ref());
    router
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .layer(CatchPanicLayer::custom(caught))
        .layer(middleware::from_fn_with_state(Arc::new(guard), watch))
}

/// The answer to a request that panicked.
fn panicked(metrics: &Metrics, panic: &(dyn Any + Send)) -> Response {
    metrics.panics.fetch_add(1, Ordering::Relaxed);
    let told = panic.downcast_ref::<String>().map(String::as_str);
    let reason = told.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason");
    tracing::error!(reason = shorten(reason), "a request panicked");
    Refused(Refusal::broken("internal error; it has been logged")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use tower::ServiceExt;

    #[test]
    fn the_address_that_people_see_is_one_of_a_host() {
        for (url, host) in [
            ("https://Play.example.org", "play.example.org"),
            ("http://10.0.0.1:8000/", "10.0.0.1:8000"),
            ("https://[::1]:9", "[::1]:9"),
        ] {
            assert_eq!(authority(url).unwrap(), host);
        }
        for wrong in [
            "javascript:1",
            "play.example.org",
            "ftp://play.example.org",
            "https://",
            "https:///x",
            "https://play.example.org/games",
            "https://play.example.org/?a",
            "https://play.example.org/#a",
            "https://me@play.example.org",
            "",
        ] {
            let error = authority(wrong).unwrap_err().to_string();
            assert!(error.contains("--base-url") && !error.contains('\n'), "{wrong}: {error}");
        }
    }

    #[test]
    fn unavailability_is_logged_once_a_second_with_a_count() {
        let (failures, start) = (Seldom::default(), Instant::now());
        let after = |ms: u64| failures.count(start + Duration::from_millis(ms));
        assert_eq!([after(0), after(1), after(999), after(1_000)], [Some(1), None, None, Some(3)]);
        assert_eq!([after(1_500), after(9_000)], [None, Some(2)]);
    }

    #[tokio::test]
    async fn a_panic_ends_one_request_and_not_the_server() {
        let metrics = Arc::new(Metrics::default());
        let fails = get(|| async {
            if true {
                panic!("on purpose")
            }
        });
        let router = Router::new().route("/fails", fails).route("/well", get(|| async { "well" }));
        let limits = Arc::new(Limits::new(1_000, 1, false));
        let guard = Guard::new(
            ([127, 0, 0, 1], 1).into(),
            None,
            &[],
            limits,
            Arc::clone(&metrics),
            Box::new(|_| false),
        );
        let router = around(router, guard);
        for (path, status) in [("/fails", 500), ("/well", 200), ("/fails", 500)] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status().as_u16(), status);
            assert!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY));
        }
        assert_eq!(metrics.panics.load(Ordering::Relaxed), 2);
    }
}
