// The outer frame of an app. Host and app are of different origins and cannot see each other: this page passes their messages on.

const resourceReady = "ui/notifications/sandbox-resource-ready";
const proxyReady = "ui/notifications/sandbox-proxy-ready";

const hostOrigin = new URL(document.referrer).origin;
const inner = document.createElement("iframe");
inner.title = "App";
inner.sandbox.add("allow-scripts", "allow-same-origin", "allow-forms");
document.body.append(inner);

/** The inner document takes over this page's policy, which came as a header. */
function load(html: string): void {
  const { contentDocument } = inner;
  if (contentDocument === null) throw new Error("The inner frame has no document.");
  contentDocument.open();
  contentDocument.write(html);
  contentDocument.close();
}

addEventListener("message", ({ source, origin, data }: MessageEvent) => {
  if (source === parent && origin === hostOrigin) {
    if (data?.method === resourceReady) load(String(data.params.html));
    else inner.contentWindow?.postMessage(data, "*");
  }
  if (source === inner.contentWindow && origin === location.origin) parent.postMessage(data, hostOrigin);
});

parent.postMessage({ jsonrpc: "2.0", method: proxyReady, params: {} }, hostOrigin);
