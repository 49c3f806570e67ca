// What a page of the documentation can do beyond being read: choose the language of samples, copy them, and try a call.
import { PageScript } from '../http/pages/html.ts';

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
    group.dataset.shown = client;
    for (const button of group.querySelectorAll('.tabs button')) button.setAttribute('aria-pressed', String(button.value === client));
  }
};
for (const group of groups)
  for (const caption of group.querySelectorAll('figcaption')) {
    const tabs = make('span', '', { className: 'tabs' });
    for (const figure of group.querySelectorAll('figure')) {
      const client = figure.dataset.client;
      tabs.append(make('button', client === 'curl' ? 'curl' : 'JavaScript', { type: 'button', value: client, onclick: () => {
        try { localStorage.setItem(CLIENT, client); } catch {}
        show(client);
      } }));
    }
    caption.replaceChildren(tabs);
  }
if (groups.length > 0) show(read(CLIENT) === 'fetch' ? 'fetch' : 'curl');

if (navigator.clipboard)
  for (const figure of document.querySelectorAll('.code')) {
    const copy = make('button', 'Copy', { type: 'button', className: 'copy' });
    copy.onclick = async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      copy.textContent = 'Copied';
    };
    figure.querySelector('figcaption').append(copy);
  }

const secret = read('signalbox_session');
if (secret !== '')
  for (const part of document.querySelectorAll('.try')) {
    part.hidden = false;
    part.querySelector('form').onsubmit = (event) => {
      event.preventDefault();
      void send(event.target);
    };
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
  if (method !== 'GET' && !confirm('This changes what is stored: ' + method + ' ' + url)) return;
  const body = form.querySelector('textarea');
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

function pretty(text) {
  try { return JSON.stringify(JSON.parse(text), undefined, 2); } catch { return text; }
}
`);
