// The style of the small pages of the server itself, in the colours and measures of the console.

export const PAGE_STYLE = `
  :root { color-scheme: light dark; --accent: light-dark(#2f5bd7, #8ab0ff); --on-accent: light-dark(#fff, #0c0f14);
    --line: light-dark(#dde1e7, #2a323d); --control: light-dark(#7f8998, #6b7686); --paper: light-dark(#fff, #161b22);
    --text: light-dark(#1a1f26, #e7ebf0); --muted: light-dark(#56606d, #a3adba); --sunken: light-dark(#f6f7f9, #0e1116);
    --bad: light-dark(#b3261e, #ff8f86); }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; padding: 16px; font: 14px/1.5 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto,
    "Noto Sans", "Liberation Sans", "Helvetica Neue", Arial, system-ui, sans-serif; background: var(--sunken); color: var(--text); }
  body.card { display: grid; place-items: center; }
  main { width: 100%; max-width: 56rem; margin: 0 auto; padding: 32px; border: 1px solid var(--line); border-radius: 12px;
    background: var(--paper); }
  body.card main { max-width: 26rem; }
  body.login { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); padding: 0; }
  body.login main { max-width: 408px; border: 0; padding: 24px; background: none; }
  body.login { background: light-dark(#fff, #12161c); }
  .tracks { align-self: stretch; justify-self: stretch; overflow: hidden; background: light-dark(#10151d, #0b0e13); }
  .tracks svg { display: block; width: 100%; height: 100vh; fill: none; stroke: #232c39; stroke-width: 6; stroke-linecap: round; }
  .tracks circle { fill: #10151d; stroke-width: 3; }
  .tracks .a { stroke: #63cf8f; } .tracks .b { stroke: #8ab0ff; } .tracks .c { stroke: #f0b849; }
  .brand { display: flex; align-items: center; gap: 8px; font-weight: 600; }
  .mark { width: 22px; height: 22px; } .mark rect { fill: var(--accent); } .mark circle { fill: var(--on-accent); }
  .mark path { fill: none; stroke: var(--on-accent); stroke-width: 1.75; stroke-linecap: round; }
  h1 { margin: 0 0 16px; font-size: 20px; line-height: 28px; font-weight: 600; letter-spacing: -.012em; }
  body.card h1 { font-size: 24px; line-height: 32px; }
  h2 { margin: 32px 0 8px; font-size: 16px; line-height: 24px; }
  h2:target { color: var(--accent); }
  p, form, .wide { margin: 0 0 16px; }
  main > :last-child { margin-bottom: 0; }
  label { display: block; margin-bottom: 16px; font-size: 13px; font-weight: 500; }
  input, select, textarea { display: block; width: 100%; min-height: 40px; margin-top: 4px; padding: 8px 10px; font: 400 14px/1.5 inherit;
    font-family: inherit; color: inherit; background: transparent; border: 1px solid var(--control); border-radius: 6px; }
  textarea { min-height: 12rem; font: 13px/1.5 ui-monospace, monospace; }
  textarea.short { min-height: 5rem; }
  fieldset { margin: 0 0 16px; padding: 12px 16px; border: 1px solid var(--line); border-radius: 8px; }
  input[type=radio], input[type=checkbox] { display: inline-block; width: auto; min-height: 0; margin: 0 8px 0 0; accent-color: var(--accent); }
  [role=alert] { color: var(--bad); }
  button, a.button { display: block; width: 100%; min-height: 40px; padding: 8px 12px; font: inherit; font-weight: 600; text-align: center;
    border: 1px solid transparent; border-radius: 6px; background: var(--accent); color: var(--on-accent); text-decoration: none; cursor: pointer; }
  button.danger { background: var(--bad); }
  button.plain { background: transparent; color: inherit; border-color: var(--control); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
  a { color: var(--accent); }
  ul { padding-left: 20px; }
  code { font: .923em ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
  .wide { overflow-x: auto; }
  h3 { margin: 28px 0 8px; font-size: 14px; }
  h3:target, h4:target { color: var(--accent); }
  code:target { color: var(--on-accent); background: var(--accent); border-radius: 3px; }
  pre { margin: 0; padding: 12px; overflow-x: auto; font-size: 13px; background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; }
  .guide pre { margin: 0 0 16px; white-space: pre-wrap; }
  pre code { font-size: inherit; overflow-wrap: normal; }
  .guide pre code { overflow-wrap: anywhere; }
  mark { color: inherit; background: light-dark(#ffe69a, #5a4708); }
  figure { margin: 0; min-width: 0; }
  figcaption { margin-bottom: 4px; font-size: 13px; }
  .pair { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); margin: 0 0 16px; }
  details { margin: 0 0 16px; }
  summary { cursor: pointer; }
  .columns { columns: 15rem; margin-top: 8px; }
  .columns label { break-inside: avoid; }
  td form { margin: 0; }
  td button { min-height: 0; padding: 4px 12px; }
  .muted { color: var(--muted); }
  [role=status].late { animation: appear 0s .4s both; }
  @keyframes appear { from { visibility: hidden; } }
  details ul { margin: 8px 0 0; }
  table { width: 100%; border-collapse: collapse; font-size: 13px; }
  th, td { padding: 6px 12px 6px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
  .stacked td + td code { overflow-wrap: break-word; }
  body.framed { padding: 0; background: light-dark(#fff, #12161c); }
  .bar { display: flex; align-items: center; gap: 16px; min-height: 48px; padding: 8px 24px; border-bottom: 1px solid var(--line); }
  .bar a { color: inherit; text-decoration: none; } .bar nav a { font-size: 13px; color: var(--muted); }
  .bar nav a:hover { text-decoration: underline; }
  body.framed main { max-width: 52rem; padding: 24px 24px 48px; border: 0; background: none; }
  body.framed section { margin: 0 0 16px; padding: 16px; border: 1px solid var(--line); border-radius: 8px; }
  body.framed section > h2 { margin: 0 0 12px; } body.framed section > :last-child { margin-bottom: 0; }
  body.framed button { display: inline-block; width: auto; min-height: 32px; padding: 4px 12px; font-size: 13px; }
  body.framed th { font-weight: 500; color: var(--muted); }
  @media (max-width: 48rem) { body.login { grid-template-columns: minmax(0, 1fr); } .tracks { display: none; } }
  @media (max-width: 40rem) {
    body { padding: 8px; }
    main { padding: 16px; }
    .bar { padding: 8px 16px; }
    body.framed main { padding: 16px 16px 48px; }
    body.framed button { min-height: 44px; }
    th, td { padding-right: 8px; }
    td:first-child { overflow-wrap: anywhere; }
    .stacked thead { display: none; }
    .stacked tr { display: block; padding: 6px 0; border-bottom: 1px solid var(--line); }
    .stacked td { display: block; padding: 0; border: 0; }
  }
`;
