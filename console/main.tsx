// The console: starts the stream of changes and draws the page that the address names.
import './styles/index.css';
import { options } from 'preact';
import { createRoot } from 'react-dom/client';
import { startLive } from './api/live.ts';
import { CONSOLE } from './api/server.ts';
import { App } from './app/app.tsx';
import { prefetchMe } from './app/me.ts';
import { preload } from './app/pages.tsx';

// What follows from a drawing is done right after it, and not after the next frame, which on a slow machine comes late: a key or a click
// in between would meet a page that does not listen yet, or one that knows what was shown before.
options.requestAnimationFrame = queueMicrotask;

// Ahead of the first drawing, which takes longer than the way to the server and back.
preload(location.pathname.slice(CONSOLE.length) || '/');
// The stream first: what was read before it has begun is read again.
startLive();
prefetchMe();
createRoot(document.getElementById('root')!).render(<App />);
