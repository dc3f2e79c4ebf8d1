/** Starts the program where the page's address says: in the page itself, in a worker or a frame. */

const { searchParams } = new URL(location.href);
const place = searchParams.get('place');
const program = `/program.js?task=${encodeURIComponent(searchParams.get('task'))}`;
const { run } = JSON.parse(searchParams.get('task'));

/** Says that the program did not start. */
function fail(what) {
  const body = JSON.stringify({ error: `in the ${place}: ${what}` });
  fetch(`/result/${run}`, { method: 'POST', body, mode: 'no-cors' });
}

/** Puts an element into the page. */
function add(name, properties) {
  document.head.append(Object.assign(document.createElement(name), properties));
}

const PLACES = {
  page() {
    add('script', { type: 'module', src: program, onerror: () => fail('the script did not load') });
  },
  worker() {
    new Worker(program, { type: 'module' }).onerror = ({ message }) => fail(message);
  },
  'shared worker'() {
    globalThis.worker = new SharedWorker(program, { type: 'module' });
    globalThis.worker.onerror = ({ message }) => fail(message);
  },
  async 'service worker'() {
    await navigator.serviceWorker.register(program, { type: 'module' });
  },
  'sandboxed frame'() {
    const src = `/?place=page&task=${encodeURIComponent(searchParams.get('task'))}`;
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    frame.src = src;
    document.documentElement.append(frame);
  },
};

addEventListener('error', ({ message }) => fail(message));
addEventListener('unhandledrejection', ({ reason }) => fail(`${reason}`));
PLACES[place]();
