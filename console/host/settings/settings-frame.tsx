// What the pages of a repository's settings share: the way between them, and who may see them.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Crumb } from '../../app/page-info.ts';
import { NoPermission } from '../../ui/states.tsx';
import { settingsHref, type RepositoryPlace } from '../place.ts';
import { RepositoryFrame } from '../repository-frame.tsx';
import type { Repository } from '../repository.ts';
import { SETTINGS } from './settings-words.ts';
import '../../styles/repository-settings.css';

const PARTS = [
  { id: '', label: SETTINGS.general },
  { id: 'access', label: SETTINGS.access },
  { id: 'branches', label: SETTINGS.branches },
  { id: 'webhooks', label: SETTINGS.webhooks },
] as const;

export interface SettingsFrameProps {
  place: RepositoryPlace;
  part: (typeof PARTS)[number]['id'];
  /** The way from the part to this page. */
  crumbs?: readonly Crumb[] | undefined;
  children: (repository: Repository) => ReactNode;
}

export function SettingsFrame({ place, part, crumbs = [], children }: SettingsFrameProps) {
  const label = PARTS.find(({ id }) => id === part)!.label;
  const here = { label, ...(crumbs.length > 0 && { href: settingsHref(place, part) }) };
  return (
    <RepositoryFrame
      place={place}
      tab="settings"
      crumbs={[{ label: SETTINGS.settings, href: settingsHref(place, '') }, here, ...crumbs]}
    >
      {(repository) =>
        repository.permissions?.admin === true ? (
          <div className="rset">
            <nav className="rset__nav" aria-label={SETTINGS.parts}>
              {PARTS.map(({ id, label: name }) => (
                <Link key={id} href={settingsHref(place, id)} aria-current={id === part ? 'page' : undefined}>
                  {name}
                </Link>
              ))}
            </nav>
            <div className="rset__body">{children(repository)}</div>
          </div>
        ) : (
          <NoPermission action="updateRepository" resource={`repo/${repository.full_name}`} />
        )
      }
    </RepositoryFrame>
  );
}
