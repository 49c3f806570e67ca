// What a page of the documentation can do beyond being read: choose the client of samples, copy them, make a token for them,
// see what is left of limits, and try a call.
import { PageScript, ROOT_SCRIPT } from '../http/pages/html.ts';

/** All that the page shows of replies is put there as text. */
export const DOCS_SCRIPT = new PageScript(`
const CLIENT = 'signalbox_docs_client';
const read = (key) => { try { return localStorage.getItem(key) ?? ''; } catch { return ''; } };
const make = (name, text, props) => Object.assign(document.createElement(name), { textContent: text }, props);

const theme = /(?:^|; )signalbox_theme=(light|dark)/.exec(document.cookie);
if (theme) document.documentElement.dataset.theme = theme[1];

const groups = [...document.querySelectorAll('.samples')];
const show = (client) => {
  for (const group of groups) {
    const figures = [...group.querySelectorAll('figure')];
    const chosen = figures.find((figure) => figure.dataset.client === client) ?? figures[0];
    group.dataset.shown = chosen.dataset.client;
    for (const figure of figures) figure.toggleAttribute('data-chosen', figure === chosen);
    for (const button of group.querySelectorAll('.tabs button')) button.setAttribute('aria-pressed', String(button.value === chosen.dataset.client));
  }
};
for (const group of groups) {
  const clients = [...group.querySelectorAll('figure')].map((figure) => [figure.dataset.client, figure.querySelector('figcaption').textContent]);
  for (const caption of group.querySelectorAll('figcaption')) {
    const tabs = make('span', '', { className: 'tabs' });
    for (const [client, name] of clients)
      tabs.append(make('button', name, { type: 'button', value: client, onclick: () => {
        try { localStorage.setItem(CLIENT, client); } catch {}
        show(client);
      } }));
    caption.replaceChildren(tabs);
  }
}
if (groups.length > 0) show(read(CLIENT) || 'curl');

const addCopy = (figure) => {
  if (!navigator.clipboard) return;
  const copy = make('button', 'Copy', { type: 'button', className: 'copy' });
  copy.onclick = async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent);
    copy.textContent = 'Copied';
  };
  (figure.querySelector('figcaption') ?? figure).append(copy);
};
for (const pre of document.querySelectorAll('.guide pre')) {
  const figure = make('div', '', { className: 'code' });
  pre.tabIndex = 0;
  pre.replaceWith(figure);
  figure.append(pre);
}
for (const figure of document.querySelectorAll('.code')) addCopy(figure);

// Colours for what comes into view: comments, names of fields, texts, numbers, words of languages.
const TOKEN = /(#[^\\n]*|\\/\\/[^\\n]*)|("(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:))|("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*')|\\b(\\d+(?:\\.\\d+)?)\\b|\\b(await|const|for|from|if|import|in|let|new|of|return|with|as|export|true|false|null|None|True|False|curl|signalbox)\\b/g;
const KINDS = ['t-c', 't-p', 't-s', 't-n', 't-k'];
const colour = (code) => {
  const text = code.textContent;
  if (text.length > 20000) return;
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(TOKEN)) {
    const kind = KINDS[found.slice(1).findIndex((one) => one !== undefined)];
    // An address has two slashes, and a fragment a hash.
    if (kind === 't-c' && /\\S/.test(text[found.index - 1] ?? ' ')) continue;
    parts.push(text.slice(end, found.index), make('i', found[0], { className: kind }));
    end = found.index + found[0].length;
  }
  code.replaceChildren(...parts, text.slice(end));
};
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries)
    if (isIntersecting) {
      seen.unobserve(target);
      colour(target);
    }
});
for (const code of document.querySelectorAll('.code pre code')) seen.observe(code);

const search = document.querySelector('[role=search] input');
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select') !== null;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !['?', '/'].includes(event.key)) return;
  event.preventDefault();
  search.focus();
});

${ROOT_SCRIPT}
const secret = read(storageKey);
if (secret !== '') {
  for (const part of document.querySelectorAll('.try')) {
    part.hidden = false;
    part.querySelector('form').onsubmit = (event) => {
      event.preventDefault();
      void send(event.target);
    };
  }
  for (const group of document.querySelectorAll('[data-token-for]')) offerToken(group);
  if (document.querySelector('[data-limit]')) void showLimits();
}

/** A token for what this operation needs, and no more. The page has its secret once, and keeps it nowhere else. */
function offerToken(group) {
  const part = make('div', '', { className: 'token' });
  const button = make('button', 'Make a token for one hour', { type: 'button', className: 'quiet' });
  const words = make('p', '');
  words.setAttribute('role', 'status');
  const actions = group.dataset.actions === '' ? ['view*'] : group.dataset.actions.split(' ');
  button.onclick = async () => {
    button.disabled = true;
    try {
      const reply = await fetch(document.body.dataset.tokenPath, {
        method: 'POST',
        headers: { 'x-signalbox-session': secret, 'content-type': 'application/json' },
        body: JSON.stringify({
          name: ('Docs: ' + group.dataset.tokenFor).slice(0, 100),
          expiry: Date.now() + 3600000,
          inlineRole: [{ effect: 'allow', actions, resources: ['*'] }],
        }),
      });
      const made = await reply.json();
      if (!reply.ok) throw new Error(made.message);
      const figure = make('figure', '', { className: 'code' });
      const code = make('pre', '', { tabIndex: 0 });
      code.append(make('code', 'export SIGNALBOX_TOKEN=' + made.token));
      figure.append(make('figcaption', 'Token'), code);
      addCopy(figure);
      words.textContent = 'Good for one hour, and for ' + actions.join(', ') + ' alone. It is shown once: run this first, and the samples work as they are.';
      button.replaceWith(figure);
    } catch (error) {
      words.textContent = 'There is no token: ' + error.message;
      button.disabled = false;
    }
  };
  part.append(button, words);
  group.prepend(part);
}

/** What the reader has used of each limit in the present window. */
async function showLimits() {
  const reply = await fetch(root + 'signalbox/v1/me/limits', { headers: { 'x-signalbox-session': secret } });
  if (!reply.ok) return;
  const { isEnabled, items } = await reply.json();
  if (!isEnabled) return;
  for (const table of document.querySelectorAll('table')) {
    const marks = [...table.querySelectorAll('[data-limit]')];
    if (marks.length === 0) continue;
    // On a narrow screen it now scrolls, which the keyboard must reach.
    table.parentElement.tabIndex = 0;
    table.tHead.rows[0].append(make('th', 'Your tokens'), make('th', 'Your browsers'));
    for (const mark of marks) {
      const row = mark.closest('tr');
      for (const budget of ['tokens', 'browser']) {
        const own = items.filter((item) => item.budget === budget && item.api + '.' + item.category === mark.dataset.limit);
        const most = own.sort((one, other) => one.remaining - other.remaining)[0];
        const text = most ? most.used.toLocaleString('en') + ' used, ' + most.remaining.toLocaleString('en') + ' left' : 'unused';
        row.append(make('td', text, { className: most ? 'live' : 'muted' }));
      }
    }
  }
}

async function send(form) {
  const { method, path } = form.dataset;
  let address = path;
  const search = new URLSearchParams();
  for (const { dataset, name, value } of form.querySelectorAll('input')) {
    if (dataset.in === 'path') address = address.replace('{' + name + '}', value.split('/').map(encodeURIComponent).join('/'));
    else if (value !== '') search.append(name, value);
  }
  const url = address + (search.size === 0 ? '' : '?' + search);
  const body = form.querySelector('textarea');
  if (method !== 'GET' && !confirm(['This changes what is stored: ' + method + ' ' + url, ...placesOf(form, body)].join('\\n'))) return;
  const output = form.querySelector('output');
  const button = form.querySelector('button');
  button.disabled = true;
  const began = performance.now();
  try {
    const reply = await fetch(url, {
      method,
      headers: { 'x-signalbox-session': secret, ...(body && { 'content-type': body.dataset.type || 'application/json' }) },
      ...(body && { body: body.value }),
    });
    const text = await reply.text();
    const left = reply.headers.get('x-ratelimit-remaining');
    const facts = [reply.status, Math.round(performance.now() - began) + ' ms', ...(left === null ? [] : [left + ' calls left'])];
    const headers = [...reply.headers].map(([name, value]) => name + ': ' + value).join('\\n');
    const folded = make('details', '');
    folded.append(make('summary', 'Headers'), make('pre', headers));
    output.replaceChildren(make('p', facts.join(' · ')), folded, make('pre', pretty(text).slice(0, 100000), { tabIndex: 0 }));
  } catch (error) {
    output.replaceChildren(make('p', String(error)));
  } finally {
    button.disabled = false;
  }
}

/** What is named: the parameters of the path, and an environment that only the body names. */
function placesOf(form, body) {
  const named = [...form.querySelectorAll('input[data-in=path]')].map(({ name, value }) => [name, value]);
  try {
    const { environmentKey } = JSON.parse(body?.value ?? '{}');
    if (environmentKey !== undefined) named.push(['environmentKey', environmentKey]);
  } catch {}
  return named.map(([name, value]) => name + ': ' + value);
}

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), undefined, 2); } catch { return text; }
}
`);
