// The lines that an alert points at, with some around them, as they are at the commit that was examined.
import { useMemo } from 'react';
import { Link } from 'wouter';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classNames } from '../../ui/class-names.ts';
import { cssVars } from '../../ui/css-vars.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { decodeBase64, linesOf, textOf, type Content } from '../files/content.ts';
import { useContent } from '../files/files-queries.ts';
import { FILES_WORDS } from '../files/files-words.ts';
import { CodeText } from '../../lib/highlight/code-text.tsx';
import { useTokenizer } from '../../lib/highlight/use-tokenizer.ts';
import { blobHref, type RepositoryPlace } from '../place.ts';
import { shortSha } from '../repository.ts';
import { locationText, type AlertInstance } from './alert.ts';
import { ALERT } from './security-words.ts';
import '../../styles/files.css';

/** Lines before and after. */
const AROUND = 5;
/** Of a longer range the first ones are shown. */
const MOST = 60;

export function AlertCode({ place, instance }: { place: RepositoryPlace; instance: AlertInstance }) {
  const { location, commit_sha: sha } = instance;
  const { path, start_line: line } = location;
  if (path === '')
    return (
      <Card title={ALERT.code}>
        <p className="muted t13">{ALERT.noFile}</p>
      </Card>
    );
  return (
    <Card
      isFlush
      title={<span className="mono t13">{locationText(instance)}</span>}
      label={ALERT.code}
      actions={
        <>
          <code className="key">{shortSha(sha)}</code>
          <ButtonLink size="sm" icon="file" href={`${blobHref(place, sha, path)}#L${line}`}>
            {ALERT.openFile}
          </ButtonLink>
        </>
      }
    >
      <Lines place={place} instance={instance} />
    </Card>
  );
}

function Lines({ place, instance }: { place: RepositoryPlace; instance: AlertInstance }) {
  const { location, commit_sha: sha } = instance;
  const { path } = location;
  const { data, error, refetch } = useContent(place, sha, path);
  const text = useMemo(() => textIn(data), [data]);
  if (error?.status === 404) return <p className="card__b muted t13">{ALERT.notThere}</p>;
  if (error !== null) return <ErrorState isPlain error={error} onRetry={() => void refetch()} />;
  if (data === undefined)
    return (
      <div className="card__b">
        <Skeleton lines={6} />
      </div>
    );
  if (text === undefined) return <p className="card__b muted t13">{ALERT.notShown}</p>;
  return <MarkedLines place={place} instance={instance} text={text} />;
}

/** Undefined for what is no text, or has to be read by itself. */
function textIn(content: Content | undefined): string | undefined {
  if (content?.type !== 'file' || content.encoding !== 'base64') return undefined;
  return textOf(decodeBase64(content.content));
}

interface MarkedLinesProps {
  place: RepositoryPlace;
  instance: AlertInstance;
  text: string;
}

function MarkedLines({ place, instance, text }: MarkedLinesProps) {
  const { path, start_line: start, end_line: end } = instance.location;
  const lines = useMemo(() => linesOf(text), [text]);
  const tokenizer = useTokenizer(path, text.length);
  const tokens = useMemo(() => tokenizer?.(lines), [tokenizer, lines]);
  const last = Math.max(start, end);
  const first = Math.max(1, start - AROUND);
  const shown = lines.slice(first - 1, Math.min(last + AROUND, first - 1 + MOST));
  if (start > lines.length) return <p className="card__b muted t13">{ALERT.noSuchLine}</p>;
  return (
    // What scrolls must be reachable by the keyboard.
    <div
      className="cv"
      role="region"
      aria-label={ALERT.lines(path)}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      style={cssVars({ digits: String(first + shown.length).length })}
    >
      <div className="cv__p">
        {shown.map((line, index) => {
          const number = first + index;
          const isOn = number >= start && number <= last;
          return (
            <div key={number} className={classNames('cv__l', isOn && 'is-on')}>
              <Link
                className="cv__n"
                href={`${blobHref(place, instance.commit_sha, path)}#L${number}`}
                data-n={number}
                tabIndex={-1}
                aria-label={FILES_WORDS.line(number)}
              />
              <code className="cv__t">
                <CodeText text={line} tokens={tokens?.[number - 1]} />
                {'\n'}
              </code>
              {number === last && <span className="vh">{instance.message.text}</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}
