// The console: starts the stream of changes and draws the page that the address names.
import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { startLive } from './api/live.ts';
import { App } from './app/app.tsx';

startLive();
createRoot(document.getElementById('root')!).render(<App />);
