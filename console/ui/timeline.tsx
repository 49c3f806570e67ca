// What happened, one after another: of a run, of a resource, of everybody.
import type { ReactNode } from 'react';
import { Avatar } from './avatar.tsx';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';

export interface TimelineItem {
  id: string;
  /** Either who did it, or a glyph. */
  by?: { name: string; kind?: 'person' | 'machine' | undefined } | undefined;
  icon?: IconName | undefined;
  tone?: 'ok' | 'bad' | undefined;
  content: ReactNode;
  /** What was said about it. */
  comment?: string | undefined;
  meta?: ReactNode;
}

export function Timeline({ items, label }: { items: TimelineItem[]; label?: string | undefined }) {
  return (
    <ol className="tl" aria-label={label}>
      {items.map((item) => (
        <li key={item.id}>
          <TimelineGlyph item={item} />
          <div>
            <div>{item.content}</div>
            {item.comment !== undefined && item.comment !== '' && <q>{item.comment}</q>}
            {item.meta !== undefined && <div className="tl__m">{item.meta}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}

function TimelineGlyph({ item: { by, icon = 'ring', tone } }: { item: TimelineItem }) {
  if (by !== undefined) return <Avatar name={by.name} kind={by.kind} />;
  return (
    <span className={classNames('tl__d', tone !== undefined && `tl__d--${tone}`)}>
      <Icon name={icon} />
    </span>
  );
}
