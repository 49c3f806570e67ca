// The shapes of the icons, drawn on 16 units with a stroke of 1.5.
import type { ReactNode } from 'react';

export const iconShapes = {
  actor: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6.75 5.7v4.6L10.5 8z" />
    </>
  ),
  adown: <path d="M8 3v9.5M4.2 8.8 8 12.6l3.8-3.8" />,
  aleft: <path d="M13 8H3.5M7.2 4.2 3.4 8l3.8 3.8" />,
  api: (
    <>
      <path d="M5 3c-1.6 0-.6 4-2.5 5 1.9 1 .9 5 2.5 5M11 3c1.6 0 .6 4 2.5 5-1.9 1-.9 5-2.5 5" />
      <path strokeWidth="1.75" d="M6.7 8h.01M9.3 8h.01" />
    </>
  ),
  aright: <path d="M3 8h9.5M8.8 4.2 12.6 8l-3.8 3.8" />,
  aup: <path d="M8 13V3.5M4.2 7.2 8 3.4l3.8 3.8" />,
  bolt: <path d="M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z" />,
  bool: (
    <>
      <rect x="1.8" y="4.8" width="12.4" height="6.4" rx="3.2" />
      <circle cx="11" cy="8" r="1.2" fill="currentColor" stroke="none" />
    </>
  ),
  branch: (
    <>
      <circle cx="4.5" cy="3.8" r="1.6" />
      <circle cx="4.5" cy="12.2" r="1.6" />
      <circle cx="11.5" cy="5.2" r="1.6" />
      <path d="M4.5 5.4v5.2M11.5 6.8c0 2.6-4.2 2-6.4 3.9" />
    </>
  ),
  cal: (
    <>
      <rect x="2.5" y="3.5" width="11" height="10" rx="1.5" />
      <path d="M2.5 6.8h11M5.5 2v2.6M10.5 2v2.6" />
    </>
  ),
  check: <path d="M3 8.5 6.5 12 13 4.5" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  code: <path d="M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5" />,
  columns: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1.5" />
      <path d="M6.2 3v10M9.8 3v10" />
    </>
  ),
  commit: (
    <>
      <circle cx="8" cy="8" r="2.6" />
      <path d="M1.8 8h3.6M10.6 8h3.6" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  disk: (
    <>
      <ellipse cx="8" cy="4" rx="5" ry="1.8" />
      <path d="M3 4v8c0 1 2.2 1.8 5 1.8s5-.8 5-1.8V4M3 8c0 1 2.2 1.8 5 1.8S13 9 13 8" />
    </>
  ),
  dl: <path d="M8 2.5v7.3M4.8 6.8 8 10l3.2-3.2M2.8 13.2h10.4" />,
  docs: (
    <path d="M8 4.2C6.6 3.2 4.8 2.9 2.5 3v9c2.3-.1 4.1.2 5.5 1.2 1.4-1 3.2-1.3 5.5-1.2V3c-2.3-.1-4.1.2-5.5 1.2zM8 4.2v9" />
  ),
  dots: <path strokeWidth="2" d="M3.5 8h.01M8 8h.01M12.5 8h.01" />,
  down: <path d="M4 6l4 4 4-4" />,
  err: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6 6l4 4M10 6l-4 4" />
    </>
  ),
  external: <path d="M9 2.8h4.2V7M13 3 7.5 8.5M6.5 3.8H3.3v8.9h8.9V9.5" />,
  eye: (
    <>
      <path d="M1.8 8C3.2 5.3 5.4 3.8 8 3.8S12.8 5.3 14.2 8c-1.4 2.7-3.6 4.2-6.2 4.2S3.2 10.7 1.8 8z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  file: <path d="M4 2.5h5l3.2 3.2v7.8H4zM8.8 2.6v3.3h3.3" />,
  filter: <path d="M2.5 4h11M4.5 8h7M6.5 12h3" />,
  flag: <path d="M3.5 14V2.5M3.5 3.2c3-1.6 5 1.4 9 0v6c-4 1.4-6-1.6-9 0" />,
  folder: <path d="M2.2 4.2a1 1 0 0 1 1-1h3l1.5 1.6h5.1a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H3.2a1 1 0 0 1-1-1z" />,
  fork: <path d="M2 8h3.5L9 4.5h4.5M5.5 8 9 11.5h4.5" />,
  gauge: <path d="M2.5 11.5a5.8 5.8 0 1 1 11 0M8 10.5 10.8 7" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M2.250 8h11.5M8 2.250c3.2 3.4 3.2 8.1 0 11.5M8 2.250c-3.2 3.4-3.2 8.1 0 11.5" />
    </>
  ),
  grip: <path strokeWidth="2" d="M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01" />,
  half: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 2.25a5.75 5.75 0 0 1 0 11.5z" fill="currentColor" stroke="none" />
    </>
  ),
  help: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M6.4 6.3a1.7 1.7 0 1 1 2.5 1.5c-.6.3-.9.7-.9 1.3M8 11.3h.01" />
    </>
  ),
  history: <path d="M2.6 3.2V6h2.8M2.9 6A5.5 5.5 0 1 1 2.5 8.8M8 5.2V8l2 1.4" />,
  home: <path d="M2.5 7.2 8 2.8l5.5 4.4V13a.5.5 0 0 1-.5.5H9.8V10H6.2v3.5H3a.5.5 0 0 1-.5-.5z" />,
  hook: (
    <>
      <circle cx="4" cy="11.5" r="1.8" />
      <circle cx="12" cy="11.5" r="1.8" />
      <circle cx="8" cy="4" r="1.8" />
      <path d="M7.2 5.6 4.8 9.9M5.8 11.5h4.4M8.9 5.6l2.3 4.2" />
    </>
  ),
  hour: <path d="M4.5 2.5h7M4.5 13.5h7M5 2.5v2.2L8 8l3-3.3V2.5M5 13.5v-2.2L8 8l3 3.3v2.2" />,
  info: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 7.5V11M8 5.1h.01" />
    </>
  ),
  key: (
    <>
      <circle cx="5.3" cy="10.7" r="2.6" />
      <path d="M7.2 8.8 13 3M10.6 5.4l2 2" />
    </>
  ),
  left: <path d="M10 4 6 8l4 4" />,
  link: (
    <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.7.7M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.7-.7" />
  ),
  lock: (
    <>
      <rect x="3.2" y="7" width="9.6" height="6.5" rx="1.2" />
      <path d="M5.2 7V5.2a2.8 2.8 0 0 1 5.6 0V7" />
    </>
  ),
  logout: <path d="M6.5 2.8H3.2v10.4h3.3M7 8h6.5M11 5.3 13.7 8 11 10.7" />,
  mail: (
    <>
      <rect x="2.2" y="3.5" width="11.6" height="9" rx="1.5" />
      <path d="M2.6 4.5 8 8.8l5.4-4.3" />
    </>
  ),
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  merge: (
    <>
      <circle cx="4.5" cy="3.8" r="1.6" />
      <circle cx="4.5" cy="12.2" r="1.6" />
      <circle cx="11.5" cy="9" r="1.6" />
      <path d="M4.5 5.4v5.2M4.6 5.6C5 8 7.1 9 9.9 9" />
    </>
  ),
  minus: <path d="M3 8h10" />,
  moon: <path d="M13 9.6A5.6 5.6 0 0 1 6.4 3 5.6 5.6 0 1 0 13 9.6z" />,
  num: <path d="M6.2 2.8 5 13.2M11 2.8 9.8 13.2M3 6h10.5M2.5 10H13" />,
  ok: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M5.5 8.2 7.2 10l3.3-3.7" />
    </>
  ),
  pen: <path d="M10.6 3.2l2.2 2.2-7.2 7.2-2.9.7.7-2.9z" />,
  play: <path d="M5 3.2v9.6L12.5 8z" />,
  pin: <path d="M5.5 2.5h5M6.5 2.5v4L4.2 9.5h7.6L9.5 6.5v-4M8 9.5v4" />,
  plus: <path d="M8 3v10M3 8h10" />,
  pull: (
    <>
      <circle cx="4.5" cy="3.8" r="1.6" />
      <circle cx="4.5" cy="12.2" r="1.6" />
      <circle cx="11.5" cy="12.2" r="1.6" />
      <path d="M4.5 5.4v5.2M11.5 10.6V6A1.5 1.5 0 0 0 10 4.5H8M9.6 2.7 7.8 4.5l1.8 1.8" />
    </>
  ),
  rail: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1.5" />
      <path d="M6.3 3v10" />
    </>
  ),
  redo: <path d="M12.9 2.6v2.9H10M12.7 5.3a5.4 5.4 0 1 0 .7 3.3" />,
  right: <path d="M6 4l4 4-4 4" />,
  ring: <circle cx="8" cy="8" r="5.75" />,
  screen: (
    <>
      <rect x="2" y="3" width="12" height="8" rx="1.2" />
      <path d="M5.5 13.5h5M8 11v2.5" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="M10.2 10.2l3.3 3.3" />
    </>
  ),
  shield: <path d="M8 1.8 13 3.6v4.2c0 3-2 5.2-5 6.4-3-1.2-5-3.4-5-6.4V3.6z" />,
  sliders: (
    <>
      <path d="M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6" />
      <circle cx="10" cy="5" r="1.5" />
      <circle cx="6" cy="11" r="1.5" />
    </>
  ),
  snooze: <path d="M2.5 6h5l-5 6.5h5M9.5 3H13l-3.5 4.5H13" />,
  square: <rect x="3.5" y="3.5" width="9" height="9" rx="1" fill="currentColor" />,
  star: <path d="M8 2.2l1.8 3.7 4 .6-2.9 2.8.7 4L8 11.4l-3.6 1.9.7-4L2.2 6.5l4-.6z" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" />,
  str: <path d="M3.5 4.5V3h9v1.5M8 3v10M6.3 13h3.4" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M12.4 3.6l-1 1M4.6 11.4l-1 1" />
    </>
  ),
  tag: <path d="M2.6 8.1V3.2a.6.6 0 0 1 .6-.6h4.9l5.3 5.3-5.5 5.5zM5.5 5.5h.01" />,
  trash: <path d="M2.8 4.5h10.4M6 4.5V2.8h4v1.7M4.2 4.5l.6 8.9h6.4l.6-8.9M6.8 7v4M9.2 7v4" />,
  up: <path d="M4 10l4-4 4 4" />,
  user: (
    <>
      <circle cx="8" cy="5.5" r="2.5" />
      <path d="M3 13.5c.6-2.6 2.5-4 5-4s4.4 1.4 5 4" />
    </>
  ),
  users: (
    <>
      <circle cx="6" cy="5.5" r="2.2" />
      <path d="M2 13c.4-2.4 1.9-3.7 4-3.7s3.6 1.3 4 3.7M10.3 3.5a2.2 2.2 0 0 1 0 4M11.5 9.5c1.4.4 2.3 1.6 2.5 3.5" />
    </>
  ),
  view: <path d="M4.5 2.5h7v11L8 10.8l-3.5 2.7z" />,
  warn: <path d="M8 2.6 14 13H2zM8 6.6v3M8 11.3h.01" />,
  x: <path d="M4 4l8 8M12 4l-8 8" />,
} satisfies Record<string, ReactNode>;
