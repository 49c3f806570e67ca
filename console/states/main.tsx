// The sheet alone, for looking at it with `npx vite` at /console/states.html. It is not in the build.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import '../styles/index.css';
import { Toasts } from '../ui/toasts.tsx';
import StatesPage from './states-page.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id root.');
createRoot(root).render(
  <StrictMode>
    <Router base="/console">
      <StatesPage />
      <Toasts />
    </Router>
  </StrictMode>,
);
