// Beside a line of code: the flags that it names, with where they are on; above the code, those that can go from it.
import { Link } from 'wouter';
import type { FoundFlag } from '../../api/types/signalbox.ts';
import { pointAt } from '../../lib/line-range.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { TextLink } from '../../ui/link.tsx';
import type { FlagMarks } from './flag-marks.ts';
import { FLAG_NOTES } from './files-words.ts';

function hrefOf({ project, key }: FoundFlag): string {
  return `/flags/${encodeURIComponent(project.key)}/${encodeURIComponent(key)}`;
}

export function FlagNotes({ flags }: { flags: readonly FoundFlag[] }) {
  return flags.map((flag) => (
    <Link key={`${flag.project.key} ${flag.key}`} className="cv__f" href={hrefOf(flag)}>
      <Icon name="flag" />
      <span className="w5">{flags.length > 1 ? `${flag.project.key}/${flag.key}` : flag.key}</span>
      {flag.isArchived ? (
        <span>{FLAG_NOTES.archived}</span>
      ) : (
        flag.environments.map(({ key, name, isOn }) => (
          <span key={key} className={isOn ? 'cv__f-on' : undefined}>
            {isOn ? FLAG_NOTES.on(name) : FLAG_NOTES.off(name)}
          </span>
        ))
      )}
      {flag.otherEnvironments > 0 && !flag.isArchived && (
        <span>{FLAG_NOTES.more(flag.otherEnvironments)}</span>
      )}
      {flag.isReadyToRemove && <span className="cv__f-go">{FLAG_NOTES.ready}</span>}
    </Link>
  ));
}

/** Flags that nobody needs any more, but this file still names. */
export function RemovalList({ ready }: Pick<FlagMarks, 'ready'>) {
  return (
    <Banner tone="warn" icon="flag">
      <p>{FLAG_NOTES.readyTitle(ready.length)}</p>
      <ul className="cv__ready">
        {ready.map(({ flag, line }) => (
          <li key={`${flag.project.key} ${flag.key}`}>
            <TextLink href={hrefOf(flag)} isMono>
              {flag.key}
            </TextLink>{' '}
            {flag.isArchived ? FLAG_NOTES.isArchived : FLAG_NOTES.isSettled}{' '}
            <Button size="xs" tone="ghost" onClick={() => pointAt({ from: line, to: line })}>
              {FLAG_NOTES.line(line)}
            </Button>
          </li>
        ))}
      </ul>
    </Banner>
  );
}
