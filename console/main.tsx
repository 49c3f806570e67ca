// The console: starts the stream of changes and draws the page that the address names.
import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { startLive } from './api/live.ts';
import { CONSOLE } from './api/server.ts';
import { App } from './app/app.tsx';
import { prefetchMe } from './app/me.ts';
import { preload } from './app/pages.tsx';

// Ahead of the first drawing, which takes longer than the way to the server and back.
preload(location.pathname.slice(CONSOLE.length) || '/');
// The stream first: what was read before it has begun is read again.
startLive();
prefetchMe();
createRoot(document.getElementById('root')!).render(<App />);
