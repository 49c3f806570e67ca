// Two replies to one call: status, headers and body, with what differs.
import { useState } from 'react';
import { ROOT } from '../../api/server.ts';
import { Banner } from '../../ui/banner.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { JsonDiff } from '../../ui/json-diff.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { stableJson } from '../../ui/stable-json.ts';
import { Badge, Status } from '../../ui/status.tsx';
import { SideBySide } from './side-by-side.tsx';
import { comparedHeaders, type VersionedCall, type VersionReply } from './versions-queries.ts';
import { VERSIONS } from './versions-words.ts';
import { WithCode } from './with-code.tsx';

const LONGEST = 100_000;

export interface ComparisonProps {
  names: readonly [string, string];
  replies: readonly [VersionReply, VersionReply];
}

export function Comparison({ names, replies: [one, other] }: ComparisonProps) {
  const [view, setView] = useState<'sides' | 'diff'>('sides');
  const headers = comparedHeaders(one, other);
  const before = stableJson(one.body);
  const after = stableJson(other.body);
  const isCut = Math.max(before.length, after.length) > LONGEST;
  return (
    <>
      <Card title={VERSIONS.status}>
        <KeyValues
          items={[one, other].map(({ status }, index) => [
            names[index]!,
            <Status key={index} tone={status < 400 ? 'ok' : 'bad'}>
              {status}
            </Status>,
          ])}
        />
      </Card>
      <Card title={VERSIONS.headers}>
        <div className="stack stack--8">
          {headers.differing.length > 0 && (
            <div className="versions__headers">
              <table aria-label={VERSIONS.headers}>
                <thead>
                  <tr>
                    <th scope="col">{VERSIONS.header}</th>
                    <th scope="col">{names[0]}</th>
                    <th scope="col">{names[1]}</th>
                  </tr>
                </thead>
                <tbody>
                  {headers.differing.map(({ name, before: left, after: right }) => (
                    <tr key={name}>
                      <th scope="row">
                        <code>{name}</code>
                      </th>
                      <td>{left ?? <span className="muted">{VERSIONS.absent}</span>}</td>
                      <td>{right ?? <span className="muted">{VERSIONS.absent}</span>}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          <p className="t12 muted">{VERSIONS.sameHeaders(headers.same)}</p>
        </div>
      </Card>
      <Card
        title={VERSIONS.body}
        actions={
          <Segmented
            size="sm"
            label={VERSIONS.view}
            value={view}
            onChange={setView}
            options={[
              { value: 'sides', label: VERSIONS.sides },
              { value: 'diff', label: VERSIONS.diff },
            ]}
          />
        }
      >
        <div className="stack stack--8">
          {isCut && <Banner tone="neutral">{VERSIONS.cut}</Banner>}
          {before === after && <p className="t13 muted">{VERSIONS.sameBody}</p>}
          {view === 'sides' ? (
            <SideBySide
              before={before.slice(0, LONGEST)}
              after={after.slice(0, LONGEST)}
              heads={names}
              label={VERSIONS.body}
            />
          ) : (
            <JsonDiff before={one.body} after={other.body} />
          )}
        </div>
      </Card>
    </>
  );
}

export interface ChangelogProps {
  call: VersionedCall;
  names: readonly [string, string];
}

/** The entries between the two versions that are about the call. */
export function Changelog({ call, names }: ChangelogProps) {
  const [first = '', last = ''] = [...names].toSorted();
  const entries = call.changes.filter(({ version }) => version > first && version <= last);
  return (
    <Card title={VERSIONS.changes} icon="docs">
      <div className="stack">
        {entries.length === 0 && (
          <p className="t13 muted">
            {VERSIONS.noChanges} {VERSIONS.unexplained}
          </p>
        )}
        {entries.map(({ version, title, advice, page }) => (
          <section key={page} className="stack stack--4 t13">
            <p>
              <Badge tone="warn">{VERSIONS.since(version)}</Badge>{' '}
              <b className="w5">
                <WithCode text={title} />
              </b>
            </p>
            <p className="muted">
              <WithCode text={advice} />
            </p>
            <p>
              <TextLink href={ROOT + page} isExternal>
                {VERSIONS.entry}
              </TextLink>
            </p>
          </section>
        ))}
        <p className="t13">
          <TextLink href={`${ROOT}/docs/host/versions/${encodeURIComponent(last)}/impact`} isExternal>
            {VERSIONS.impact}
          </TextLink>
        </p>
      </div>
    </Card>
  );
}
