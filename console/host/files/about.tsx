// Beside the files of a repository: what it is written in, what is built from it, and when it was changed.
import { Link } from 'wouter';
import { path } from '../../api/call.ts';
import { Card, KeyValues } from '../../ui/card.tsx';
import { cssVars } from '../../ui/css-vars.ts';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import type { RepositoryPlace } from '../place.ts';
import { LanguageBar, shareText, sharesOf } from '../language-bar.tsx';
import { useStanding } from '../queries.ts';
import type { Repository } from '../repository.ts';
import { useLanguages } from './files-queries.ts';
import { FILES_WORDS } from './files-words.ts';

export function About({ place, repository }: { place: RepositoryPlace; repository: Repository }) {
  return (
    <aside className="stack stack--24" aria-label={FILES_WORDS.about}>
      <Card title={FILES_WORDS.about}>
        <KeyValues
          items={[
            [FILES_WORDS.branch, <code key="branch">{repository.default_branch}</code>],
            [FILES_WORDS.updated, <Time key="updated" at={repository.pushed_at ?? repository.updated_at} />],
          ]}
        />
      </Card>
      <BuiltActors place={place} />
      <Languages place={place} />
    </aside>
  );
}

function BuiltActors({ place }: { place: RepositoryPlace }) {
  const { data } = useStanding(place);
  if (data === undefined || data.actors.length === 0) return null;
  return (
    <Card title={FILES_WORDS.builtActors}>
      <ul className="stack stack--8 t13">
        {data.actors.map(({ id, username, name, title, versions, lastRunAt }) => (
          <li key={id} className="row row--8">
            <Icon name="actor" />
            <Link className="ln cut" href={path`/actors/${`${username}~${name}`}`}>
              {title ?? name}
            </Link>
            <small className="muted push nw">
              {lastRunAt !== undefined ? (
                <Time at={lastRunAt} />
              ) : versions.some((one) => one.buildsOnPush) ? (
                FILES_WORDS.builtOnPush
              ) : (
                FILES_WORDS.neverRun
              )}
            </small>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Languages({ place }: { place: RepositoryPlace }) {
  const { data = {} } = useLanguages(place);
  const shares = sharesOf(Object.entries(data).map(([name, bytes]) => ({ name, bytes })));
  if (shares.length === 0) return null;
  return (
    <Card title={FILES_WORDS.languages}>
      <LanguageBar shares={shares} />
      <ul className="langs__l t12 muted">
        {shares.map(({ name, share, colour }) => (
          <li key={name}>
            <i style={cssVars({ c: colour })} aria-hidden="true" />
            {name} {shareText(share)}
          </li>
        ))}
      </ul>
    </Card>
  );
}
