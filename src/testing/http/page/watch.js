// A worker of the page: watches the fake for all tabs. A browser has six connections to an address of HTTP/1.1, and a
// stream keeps one: so all tabs share one stream, and none is open while all are hidden.

const visible = new Set();
let stream;
let state;

function tell(change) {
  for (const port of visible) port.postMessage(change);
}
function open() {
  stream = new EventSource('/_fake/changes');
  for (const name of ['request', 'delivery']) stream.addEventListener(name, () => tell({ name }));
  stream.addEventListener('changed', ({ data }) => tell({ name: JSON.parse(data).what }));
  // The fake sends an event of this name once nothing is missed any more. The browser's own has no data.
  stream.addEventListener('open', ({ data }) => {
    if (data !== undefined) tell((state = { name: 'open' }));
  });
  stream.addEventListener('error', () => tell((state = { name: 'error' })));
}
function watch(port) {
  port.onmessage = ({ data: isVisible }) => {
    if (isVisible) visible.add(port);
    else visible.delete(port);
    if (visible.size === 0) {
      stream?.close();
      stream = state = undefined;
    } else if (stream === undefined) open();
    else if (isVisible && state !== undefined) port.postMessage(state);
  };
}
if ('onconnect' in self) self.onconnect = ({ ports: [port] }) => watch(port);
else watch(self);
