// The style of the documentation: navigation, text and examples beside each other, in the colours of the other pages.

export const DOCS_STYLE = `
  :root { --hover: light-dark(#f2f4f7, #1b222b); --soft: light-dark(#eaedf1, #20262f); --ok: light-dark(#1a7340, #63cf8f);
    --warn: light-dark(#8a5a00, #f0b849); --run: light-dark(#0b6477, #5cc7db); --tint: light-dark(#eaf0ff, #1a2540); }
  :root[data-theme=light] { color-scheme: light; } :root[data-theme=dark] { color-scheme: dark; }
  html { scroll-padding-top: 64px; }
  body.docs { padding: 0; background: var(--paper); }
  .docs__top { position: sticky; top: 0; z-index: 1; display: flex; align-items: center; gap: 12px; min-height: 48px; padding: 0 16px;
    border-bottom: 1px solid var(--line); background: var(--paper); }
  .docs__top a { text-decoration: none; color: inherit; }
  .docs__top .brand { margin: 0; } .docs__top .brand span { font-weight: 400; color: var(--muted); }
  .docs__top .out { padding: 5px 12px; border: 1px solid var(--line); border-radius: 6px; font-size: 13px; font-weight: 500; }
  .docs__top .out:hover { background: var(--hover); }
  .docs__top form { margin: 0 0 0 auto; width: min(320px, 40vw); }
  .docs__top input { min-height: 32px; margin: 0; padding: 4px 10px; font-size: 13px; }
  .docs__cols { display: grid; grid-template-columns: 248px minmax(0, 1fr); }
  .docs__nav { position: sticky; top: 48px; align-self: start; height: calc(100dvh - 48px); overflow-y: auto; padding: 16px 8px;
    border-right: 1px solid var(--line); background: var(--sunken); font-size: 13px; scrollbar-width: thin; }
  .docs__nav ul { list-style: none; margin: 0; padding: 0; }
  .docs__nav ul ul { padding-left: 8px; }
  .docs__nav a { display: flex; gap: 6px; align-items: baseline; padding: 4px 8px; border-radius: 6px; color: inherit; text-decoration: none; }
  .docs__nav a:hover { background: var(--hover); }
  .docs__nav a[aria-current] { font-weight: 600; background: var(--soft); box-shadow: inset 3px 0 var(--accent); }
  .docs__nav .head { margin: 16px 8px 4px; font-size: 12px; color: var(--muted); }
  .docs__nav .verb { flex: 0 0 38px; font-size: 10px; }
  body.docs main { max-width: none; margin: 0; padding: 32px 40px 64px; border: 0; border-radius: 0; }
  body.docs h1 { font-size: 24px; line-height: 32px; }
  main > p, main > ul, main > section:not(.op), main > .wide, main > .guide { max-width: 56rem; }
  .docs .wide { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 16px; }
  .docs .wide th { font-weight: 500; color: var(--muted); background: var(--sunken); }
  .docs .wide th, .docs .wide td { padding: 8px 12px; } .docs .wide tbody tr:last-child > td { border-bottom: 0; }
  .docs .wide a { text-decoration-color: var(--line); }
  .lead { color: var(--muted); }
  .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px; max-width: 56rem; margin: 24px 0; }
  .tile { display: flex; flex-direction: column; padding: 16px; border: 1px solid var(--line); border-radius: 8px; }
  .tile h2 { margin: 0 0 4px; } .tile h2 a { color: inherit; text-decoration: none; } .tile h2 a:hover { text-decoration: underline; }
  .tile p { margin: 0 0 12px; } .tile .links { margin: auto 0 0; }
  .links { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 13px; }
  .verb { font: 600 12px ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
  .verb-get { color: var(--run); } .verb-post { color: var(--ok); } .verb-patch, .verb-put { color: var(--warn); } .verb-delete { color: var(--bad); }
  .op { display: grid; grid-template-columns: minmax(0, 680px) minmax(360px, 1fr); gap: 24px 40px; padding: 32px 0; border-top: 1px solid var(--line); }
  .op h2 { margin: 0 0 8px; font-size: 18px; line-height: 26px; }
  .op__link { color: inherit; text-decoration: none; }
  .op__link:hover { text-decoration: underline; }
  .op__side { min-width: 0; display: grid; gap: 16px; align-content: start; }
  @media (min-width: 75rem) {
    .op__side { position: sticky; top: 64px; align-self: start; max-height: calc(100dvh - 80px); overflow-y: auto; scrollbar-width: thin; }
  }
  .endp { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: baseline; padding: 8px 12px; border: 1px solid var(--line); border-radius: 6px;
    background: var(--sunken); }
  .facts { display: grid; grid-template-columns: 104px minmax(0, 1fr); gap: 6px 12px; margin: 0 0 16px; padding: 12px;
    border: 1px solid var(--line); border-radius: 8px; font-size: 13px; }
  .facts dt { color: var(--muted); } .facts dd { margin: 0; }
  .op h3 { margin: 24px 0 4px; font-size: 14px; }
  .op h3 small { font-weight: 400; color: var(--muted); overflow-wrap: anywhere; }
  .reply summary { display: flex; gap: 6px; align-items: baseline; } .reply summary h3 { display: inline; }
  .reply summary::before { content: "▸"; color: var(--muted); } .reply[open] summary::before { content: "▾"; }
  .param { padding: 8px 0; border-top: 1px solid var(--soft); font-size: 13px; }
  .param p { margin: 0; } .param__h code { font-weight: 600; }
  .param .param { margin-left: 16px; }
  .param details { margin: 4px 0 0; }
  .type { color: var(--muted); font-size: 12px; overflow-wrap: anywhere; }
  .req { color: var(--warn); font-size: 12px; }
  .code { border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); }
  .code figcaption { display: flex; align-items: center; min-height: 36px; margin: 0; padding: 4px 12px 4px 8px; font-size: 12px; color: var(--muted); border-bottom: 1px solid var(--line); }
  .code pre { max-height: 420px; overflow: auto; border: 0; background: none; font-size: 12px; line-height: 20px; }
  .code i, .guide pre i { font-style: normal; } .t-s { color: light-dark(#116329, #7ee2a0); } .t-n { color: light-dark(#a0410b, #f0a772); }
  .t-k { color: light-dark(#6f3aa8, #c9a6f5); } .t-p { color: light-dark(#1d4fb8, #8ab0ff); } .t-c { color: var(--muted); }
  .guide .code { margin: 0 0 16px; position: relative; } .guide .code pre { margin: 0; max-height: none; border: 0; font-size: 13px; }
  .guide .code .copy { position: absolute; top: 6px; right: 6px; border-color: var(--line); background: var(--paper); opacity: 0; }
  .guide .code:hover .copy, .guide .code .copy:focus-visible { opacity: 1; } @media (hover: none) { .guide .code .copy { opacity: 1; } }
  .samples { display: grid; gap: 16px; }
  .samples[data-shown] [data-client]:not([data-chosen]) { display: none; }
  .token { display: grid; gap: 8px; justify-items: start; font-size: 13px; } .token p { margin: 0; } .token p:empty { display: none; }
  .token > button { width: auto; min-height: 32px; padding: 4px 12px; border: 1px solid var(--line); background: var(--paper); color: inherit; font-size: 13px; } .token .code { width: 100%; margin: 0; }
  .err { padding: 16px 0; border-top: 1px solid var(--soft); } .err h2 { margin: 0 0 4px; font-size: 15px; } .err p { margin: 0 0 4px; }
  .err .ops { font-size: 12px; overflow-wrap: anywhere; } .live { color: var(--run); white-space: nowrap; }
  .tabs { display: flex; flex-wrap: wrap; } .code figcaption { gap: 4px; } .tabs button { white-space: nowrap; }
  .tabs button, .copy { width: auto; min-height: 24px; padding: 0 5px; font-size: 12px; font-weight: 500; background: none; color: var(--muted);
    border-color: transparent; }
  .tabs button[aria-pressed=true] { color: var(--text); border-color: var(--line); background: var(--paper); }
  .copy { margin-left: auto; }
  .try { margin: 0; padding: 8px 12px; border: 1px solid var(--line); border-radius: 8px; font-size: 13px; }
  .try form { margin: 12px 0 0; } .try label { margin-bottom: 8px; } .try em { font-weight: 400; color: var(--muted); }
  .try input { min-height: 32px; padding: 4px 8px; font-size: 13px; } .try textarea { min-height: 6rem; font-size: 12px; }
  .try output { display: block; } .try output pre { margin-top: 12px; max-height: 420px; overflow: auto; font-size: 12px; }
  .hits { list-style: none; padding: 0; overflow-wrap: anywhere; } .hits li { padding: 8px 0; border-top: 1px solid var(--soft); } .hits p { margin: 0; }
  @media (max-width: 75rem) { .op { grid-template-columns: minmax(0, 1fr); } }
  @media (max-width: 48rem) {
    .docs__cols { grid-template-columns: minmax(0, 1fr); } .docs__top form { width: auto; flex: 1 1 0; } .docs__top .brand span { display: none; }
    .docs__top .out { padding: 9px 12px; } .docs__top input { min-height: 40px; }
    .docs__nav { position: static; order: 2; height: auto; border-right: 0; border-top: 1px solid var(--line); }
    body.docs main { padding: 24px 16px; }
    .docs .wide .stacked tr { padding: 8px 0; } .docs .wide .stacked td { padding: 0 12px; }
  }
`;
