// The flags whose rules name a segment, with their state in its environment.
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { OnOff } from '../served.tsx';
import type { Segment } from './segment.ts';
import { useUsingFlag, type SegmentPlace } from './segments-queries.ts';
import { SEGMENT } from './segments-words.ts';

/** The state of each is a call of its own. */
const SHOWN_AT_ONCE = 20;

export function SegmentUses({ place, segment }: { place: SegmentPlace; segment: Segment }) {
  const flags = segment._flags ?? [];
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  if (flags.length === 0) return <p className="t13 muted">{SEGMENT.unused}</p>;
  return (
    <div className="stack stack--8">
      <p className="t13 muted">{SEGMENT.usesText(place.environment)}</p>
      <ul className="stack stack--4 t13" aria-label={SEGMENT.uses}>
        {flags.slice(0, shown).map(({ key, name }) => (
          <li key={key} className="row">
            <span className="grow cut">
              <TextLink href={flagHref(place, key)}>{name}</TextLink>
            </span>
            <FlagState place={place} flag={key} />
          </li>
        ))}
      </ul>
      {flags.length > shown && (
        <Button size="sm" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          {SEGMENT.more(formatCount(flags.length - shown))}
        </Button>
      )}
    </div>
  );
}

export function flagHref({ project, environment }: SegmentPlace, flag: string): string {
  const page = `/flags/${encodeURIComponent(project)}/${encodeURIComponent(flag)}/targeting`;
  return `${page}?env=${encodeURIComponent(environment)}`;
}

function FlagState({ place: { project, environment }, flag }: { place: SegmentPlace; flag: string }) {
  const { data } = useUsingFlag(project, environment, flag);
  const config = data?.environments?.[environment];
  return config === undefined ? null : <OnOff isOn={config.on} />;
}
