// The source of an Actor: its files to view and to edit, or where it is built from.
import { useState } from 'react';
import { useSearchState } from '../../lib/search-state.ts';
import { Banner } from '../../ui/banner.tsx';
import { Card, KeyValues } from '../../ui/card.tsx';
import { SelectInput } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { repositoryHref } from '../repository-link.ts';
import type { ActorDetail, ActorVersion } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';
import { SourceDifference } from './source-difference.tsx';
import { SourceFiles } from './source-files.tsx';

export interface SourceTabProps {
  actor: ActorDetail;
  isOwner: boolean;
}

export function SourceTab({ actor, isOwner }: SourceTabProps) {
  const search = useSearchState('');
  const { versions } = actor;
  const wanted = search.get('version');
  const version = versions.find(({ versionNumber }) => versionNumber === wanted) ?? versions.at(-1);
  // What was saved is another source: the editor begins anew.
  const [round, setRound] = useState(0);
  if (version === undefined) return <EmptyState icon="file" title={ACTOR_WORDS.noFiles} />;
  const { versionNumber, sourceType } = version;
  const isDifference = isOwner && search.get('view') === 'difference';
  return (
    <div className="stack">
      {versions.length > 1 && (
        <div className="row">
          <SelectInput
            className="in--auto"
            aria-label={ACTOR_WORDS.version}
            value={versionNumber}
            onValue={(next) => search.set({ version: next, file: undefined })}
            options={versions.map((one) => ({
              value: one.versionNumber,
              label: `${ACTOR_WORDS.version} ${one.versionNumber}`,
            }))}
          />
        </div>
      )}
      {sourceType === 'SOURCE_FILES' ? (
        version.sourceFiles === undefined || version.sourceFiles === null ? (
          <Banner tone="neutral">{ACTOR_WORDS.hiddenSource}</Banner>
        ) : (
          <>
            {isOwner && (
              <div>
                <Segmented
                  size="sm"
                  label={ACTOR_WORDS.sourceViews}
                  value={isDifference ? 'difference' : 'files'}
                  options={[
                    { value: 'files', label: ACTOR_WORDS.editFiles },
                    { value: 'difference', label: ACTOR_WORDS.difference },
                  ]}
                  onChange={(next) =>
                    search.set({ view: next === 'files' ? undefined : next }, { isStep: true })
                  }
                />
              </div>
            )}
            {isDifference && (
              <SourceDifference actor={actor} version={versionNumber} files={version.sourceFiles} />
            )}
            {/* What was typed stays while one looks at the difference. */}
            <div className="stack" hidden={isDifference}>
              <SourceFiles
                key={`${versionNumber} ${round}`}
                actor={actor}
                version={versionNumber}
                files={version.sourceFiles}
                isOwner={isOwner}
                onSaved={() => setRound(round + 1)}
              />
            </div>
          </>
        )
      ) : (
        <SourceAddress version={version} />
      )}
    </div>
  );
}

function SourceAddress({ version }: { version: ActorVersion }) {
  const { sourceType, gitRepoUrl, tarballUrl, gitHubGistUrl } = version;
  const address = gitRepoUrl ?? tarballUrl ?? gitHubGistUrl ?? undefined;
  if (address === undefined) return <Banner tone="neutral">{ACTOR_WORDS.hiddenSource}</Banner>;
  return (
    <Card title={ACTOR_WORDS.builtFrom}>
      <KeyValues
        items={[
          [ACTOR_WORDS.source, ACTOR_WORDS.sourceTypes[sourceType]],
          [ACTOR_WORDS.address, <Address key="address" address={address} />],
        ]}
      />
    </Card>
  );
}

/** A repository of this server has a page here. */
function Address({ address }: { address: string }) {
  const own = repositoryHref(address);
  if (own !== undefined) return <TextLink href={own}>{address}</TextLink>;
  if (/^https?:\/\//.test(address))
    return (
      <TextLink href={address} isExternal>
        {address}
      </TextLink>
    );
  return <code className="key">{address}</code>;
}
