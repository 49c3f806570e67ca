// What changed, line by line. The descriptions of changes are Markdown with lists, code and stress; whatever else stands in them is text.
import '../styles/change-description.css';
import { Fragment, type ReactNode } from 'react';

const MAX_LINES = 200;

export function ChangeDescription({ text }: { text: string }) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (
    <ul className="stack stack--4 t13 change-lines">
      {lines.slice(0, MAX_LINES).map((line, index) => (
        // The lines of a change never change their order.
        <li key={index}>{inline(line.replace(/^\s*[*-]\s+/, ''))}</li>
      ))}
      {lines.length > MAX_LINES && <li className="muted">…</li>}
    </ul>
  );
}

function inline(line: string): ReactNode {
  return line
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part, index) => <Fragment key={index}>{mark(part)}</Fragment>);
}

function mark(part: string): ReactNode {
  if (part.length > 2 && part.startsWith('`') && part.endsWith('`'))
    return <code className="key">{part.slice(1, -1)}</code>;
  if (part.length > 4 && part.startsWith('**') && part.endsWith('**')) return <b>{part.slice(2, -2)}</b>;
  return part;
}

/** Why it was changed, as its author wrote it. */
export function ChangeComment({ text }: { text: string }) {
  return <p className="t13 change-comment">{text}</p>;
}
