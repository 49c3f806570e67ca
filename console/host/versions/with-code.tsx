// A sentence of the changelog: what stands between backticks is code.
import { Fragment } from 'react';

export function WithCode({ text }: { text: string }) {
  return text
    .split('`')
    .map((part, index) =>
      index % 2 === 0 ? <Fragment key={index}>{part}</Fragment> : <code key={index}>{part}</code>,
    );
}
