//! Chromium, driven as a person would: pages, clicks, keys and fingers, and what the console says.

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MouseActions, PointerAction, TouchActions,
};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand, WindowHandle as Window};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take before a test gives up on it.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program that starts browsers; it ends with the test.
pub struct Driver {
    process: Child,
    url: String,
}

impl Driver {
    pub fn start() -> Driver {
        // Two that start at the same moment may choose the same port; one of them ends then.
        (0..5).find_map(|_| Driver::try_to_start()).expect("chromedriver tells its port")
    }

    fn try_to_start() -> Option<Driver> {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is needed: install the package chromium-driver");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port: Option<u16> = lines.find_map(|line| {
            let line = line.unwrap();
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        let Some(port) = port else {
            let _ = process.wait();
            return None;
        };
        // It stops when its output is not read.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Driver { process, url: format!("http://127.0.0.1:{port}") })
    }

    /// A window of this size, with nothing remembered.
    pub async fn window(&self, width: u32, height: u32) -> Browser {
        self.browser(json!({ "args": arguments(width, height) })).await
    }

    /// A phone: a small window that is touched.
    pub async fn phone(&self) -> Browser {
        let metrics = json!({ "width": 360, "height": 740, "pixelRatio": 2.0, "touch": true });
        let options = json!({
            "args": arguments(360, 740),
            "mobileEmulation": { "deviceMetrics": metrics },
        });
        self.browser(options).await
    }

    async fn browser(&self, options: Value) -> Browser {
        let mut wanted = Capabilities::new();
        wanted.insert("goog:chromeOptions".into(), options);
        wanted.insert("goog:loggingPrefs".into(), json!({ "browser": "ALL" }));
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let client = builder.capabilities(wanted).connect(&self.url).await.expect("a browser");
        Browser { client }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn arguments(width: u32, height: u32) -> Vec<String> {
    let fixed = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --mute-audio \
        --disable-background-timer-throttling --disable-renderer-backgrounding \
        --disable-backgrounding-occluded-windows";
    let size = format!("--window-size={width},{height}");
    fixed.split_whitespace().map(str::to_owned).chain([size]).collect()
}

/// One window.
pub struct Browser {
    client: Client,
}

impl Browser {
    pub async fn open(&self, url: &str) {
        self.client.goto(url).await.unwrap();
    }

    /// Returns whether a page came: some cannot be shown at all.
    pub async fn try_to_open(&self, url: &str) -> bool {
        self.client.goto(url).await.is_ok() && self.shows("main").await
    }

    /// Whether the element is there now; a page that is on its way has none.
    pub async fn shows(&self, css: &str) -> bool {
        self.client.find(Locator::Css(css)).await.is_ok()
    }

    /// Lets requests bypass the service worker, or not.
    pub async fn ignore_workers(&self, ignored: bool) {
        self.cdp("Network.enable", json!({})).await;
        self.cdp("Network.setBypassServiceWorker", json!({ "bypass": ignored })).await;
    }

    /// Gives the page a window of exactly this size.
    pub async fn resize(&self, width: u32, height: u32) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Lets the page believe that its reader prefers `light` or `dark`.
    pub async fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// Holds a key down, as the keyboard then repeats it.
    pub async fn hold(&self, key: &str, times: usize, pause: Duration) {
        for i in 0..times {
            let key = json!({ "type": "keyDown", "key": key, "text": key, "autoRepeat": i > 0 });
            self.cdp("Input.dispatchKeyEvent", key).await;
            tokio::time::sleep(pause).await;
        }
        self.cdp("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key })).await;
    }

    /// Opens another window of the same browser and switches to it: what is remembered is shared.
    pub async fn another(&self) -> Window {
        let window = self.client.new_window(false).await.unwrap().handle;
        self.client.switch_to_window(window.clone()).await.unwrap();
        window
    }

    /// The window that commands go to.
    pub async fn window(&self) -> Window {
        self.client.window().await.unwrap()
    }

    /// Switches to another window.
    pub async fn turn_to(&self, window: &Window) {
        self.client.switch_to_window(window.clone()).await.unwrap();
    }

    /// Closes the window that commands go to, without asking its page.
    pub async fn close_window(&self) {
        self.client.close_window().await.unwrap();
    }

    pub async fn reload(&self) {
        self.client.refresh().await.unwrap();
    }

    pub async fn url(&self) -> String {
        self.client.current_url().await.unwrap().to_string()
    }

    /// The element that matches, as soon as it is there.
    pub async fn find(&self, css: &str) -> Element {
        let wait = self.client.wait().at_most(PATIENCE).every(Duration::from_millis(20));
        match wait.for_element(Locator::Css(css)).await {
            Ok(element) => element,
            Err(error) => self.give_up(&format!("no `{css}`: {error}")).await,
        }
    }

    /// A click of the mouse, when the element is there and not disabled.
    pub async fn click(&self, css: &str) {
        self.until(&format!("`{css}` can be clicked"), &usable(css)).await;
        // An element that is redrawn between finding and clicking is looked up again.
        while let Err(error) = self.find(css).await.click().await {
            if !error.is_stale_element_reference() {
                self.give_up(&format!("`{css}` cannot be clicked: {error}")).await;
            }
        }
    }

    /// Chooses something from the menu of seldom used commands.
    pub async fn pick(&self, css: &str) {
        self.click("#more").await;
        self.click(css).await;
    }

    /// A touch on an element, which is brought into view first.
    pub async fn touch(&self, css: &str) {
        self.until(&format!("`{css}` can be touched"), &usable(css)).await;
        let element = self.find(css).await;
        self.script(&format!("document.querySelector({css:?}).scrollIntoView({{block:'center'}})"))
            .await;
        let finger = TouchActions::new("finger".into())
            .then(PointerAction::MoveToElement { element, duration: None, x: 0.0, y: 0.0 })
            .then(PointerAction::Down { button: 0 })
            .then(PointerAction::Up { button: 0 });
        self.client.perform_actions(finger).await.unwrap();
    }

    /// The mouse button held down from one element to another.
    pub async fn drag(&self, from: &str, to: &str) {
        let (from, to) = (self.find(from).await, self.find(to).await);
        let over = |element| PointerAction::MoveToElement {
            element,
            duration: Some(Duration::from_millis(60)),
            x: 0.0,
            y: 0.0,
        };
        let mouse = MouseActions::new("mouse".into())
            .then(over(from))
            .then(PointerAction::Down { button: 0 })
            .then(PointerAction::MoveBy { duration: None, x: 9.0, y: 3.0 })
            .then(over(to))
            .then(PointerAction::Up { button: 0 });
        self.client.perform_actions(mouse).await.unwrap();
    }

    /// Keys, to whatever has the focus.
    pub async fn keys(&self, keys: &str) {
        let typed = keys.chars().fold(KeyActions::new("keys".into()), |typed, value| {
            typed.then(KeyAction::Down { value }).then(KeyAction::Up { value })
        });
        self.client.perform_actions(typed).await.unwrap();
    }

    /// Replaces the text of a field.
    pub async fn write(&self, css: &str, text: &str) {
        let field = self.find(css).await;
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// The value of an expression.
    pub async fn value(&self, expression: &str) -> Value {
        self.script(&format!("return {expression}")).await
    }

    pub async fn script(&self, script: &str) -> Value {
        self.run(script, vec![]).await
    }

    /// Runs a script with arguments.
    pub async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.client.execute(script, arguments).await.unwrap()
    }

    /// Waits until an expression is true.
    pub async fn until(&self, what: &str, expression: &str) {
        let start = Instant::now();
        while self.value(&format!("Boolean({expression})")).await != json!(true) {
            if start.elapsed() > PATIENCE {
                self.give_up(&format!("not within the time: {what}")).await;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until the text of an element contains this.
    pub async fn until_text(&self, css: &str, part: &str) {
        let expression = format!(
            "[...document.querySelectorAll({css:?})].some(e => e.textContent.includes({part:?}))"
        );
        self.until(&format!("`{css}` says {part:?}"), &expression).await;
    }

    /// A promise's value; the expression may use `await`.
    pub async fn promised(&self, expression: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1]; \
             (async () => {expression})().then(done, (error) => done(String(error)))"
        );
        self.client.execute_async(&script, vec![]).await.unwrap()
    }

    /// A command of the browser's own protocol.
    pub async fn cdp(&self, command: &str, params: Value) -> Value {
        self.try_cdp(command, params).await.unwrap()
    }

    pub async fn try_cdp(&self, command: &str, params: Value) -> Result<Value, CmdError> {
        let body = json!({ "cmd": command, "params": params });
        self.client.issue_cmd(Extension { path: "goog/cdp/execute", body }).await
    }

    /// What the accessibility tree holds: role and name of each node.
    pub async fn spoken(&self) -> Vec<(String, String)> {
        let tree = self.cdp("Accessibility.getFullAXTree", json!({})).await;
        let text = |node: &Value, field: &str| {
            node[field]["value"].as_str().unwrap_or_default().to_owned()
        };
        let nodes = tree["nodes"].as_array().unwrap();
        let heard = nodes.iter().filter(|node| node["ignored"] != json!(true));
        heard.map(|node| (text(node, "role"), text(node, "name"))).collect()
    }

    /// Fails if anything in this window went wrong, then closes it.
    pub async fn close(self) {
        self.close_where(|_| false).await;
    }

    /// The same where something was refused on purpose: the browser logs each refusal.
    pub async fn close_after_refusals(self) {
        self.close_where(|message| message.contains("status of 422")).await;
    }

    /// The same where the network failed on purpose: the browser logs each request that got no answer.
    pub async fn close_after_trouble(self) {
        self.close_where(is_trouble).await;
    }

    /// The same where the browser logs what is expected.
    pub async fn close_where(self, expected: impl Fn(&str) -> bool) {
        let log = self.command("se/log", json!({ "type": "browser" })).await;
        let errors: Vec<_> = log
            .as_array()
            .unwrap()
            .iter()
            .filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING")
            .filter(|entry| !expected(entry["message"].as_str().unwrap_or_default()))
            .collect();
        assert!(errors.is_empty(), "the console says: {errors:#?}");
        self.client.close().await.unwrap();
    }

    async fn command(&self, path: &'static str, body: Value) -> Value {
        self.client.issue_cmd(Extension { path, body }).await.unwrap()
    }

    /// Ends the test with all that helps to understand it.
    async fn give_up(&self, why: &str) -> ! {
        let url = self.url().await;
        let text = self.value("document.body.innerText").await;
        panic!("{why}\nat {url}, which says:\n{}", text.as_str().unwrap_or_default());
    }
}

/// Whether a message is about a request that got no answer.
pub fn is_trouble(message: &str) -> bool {
    // Preloaded files may wait for the connection longer than the browser expects.
    let noted = [
        "net::ERR_",
        "WebSocket connection to",
        "status of 503",
        "status of 401",
        "preloaded using link preload but not used within a few seconds",
    ];
    noted.iter().any(|part| message.contains(part))
}

fn usable(css: &str) -> String {
    format!(
        "(e => e && !e.disabled && e.getAttribute('aria-disabled') !== 'true' \
         && e.getClientRects().length)(document.querySelector({css:?}))"
    )
}

/// A command of this browser that is not in the standard.
#[derive(Debug)]
struct Extension {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Extension {
    fn endpoint(
        &self,
        base_url: &url::Url,
        session_id: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base_url.join(&format!("session/{}/{}", session_id.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}
