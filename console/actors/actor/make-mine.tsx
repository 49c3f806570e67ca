// Copies an Actor of somebody else, whose source is open, into the reader's account, and builds it there.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useMay } from '../../app/me.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ActorNameField } from '../actor-name-field.tsx';
import { hrefOfActor, type ActorShort } from '../queries.ts';
import { useStartBuildOf, type ActorDetail, type ActorVersion } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';
import { hrefOfBuild } from './builds-tab.tsx';

/** Not there where no version shows its source, or where the reader may have no Actors. */
export function MakeMineButton({ actor }: { actor: ActorDetail }) {
  const [isOpen, setOpen] = useState(false);
  const [mayCreate] = useMay([{ action: 'createActor', resource: 'actor/*' }]) ?? [];
  const versions = actor.versions.filter(hasSource);
  if (mayCreate !== true || versions.length === 0) return null;
  return (
    <>
      <Button size="sm" icon="copy" onClick={() => setOpen(true)}>
        {ACTOR_WORDS.makeMine}
      </Button>
      {isOpen && <MakeMine actor={actor} versions={versions} onClose={() => setOpen(false)} />}
    </>
  );
}

interface MakeMineProps {
  actor: ActorDetail;
  versions: readonly ActorVersion[];
  onClose: () => void;
}

function MakeMine({ actor, versions, onClose }: MakeMineProps) {
  const { makeMineDialog } = ACTOR_WORDS;
  const [name, setName] = useState(actor.name);
  const [, navigate] = useLocation();
  const call = copyCall(actor, versions, name.trim());
  const create = useChange<void, { data: ActorShort }>(() => call, ['actor']);
  const build = useStartBuildOf();
  useSayDraft(call);
  const submit = () =>
    create.mutate(undefined, {
      onSuccess: ({ data }) =>
        build.mutate(
          { actorId: data.id, version: versions.at(-1)!.versionNumber },
          {
            onSuccess: ({ data: made }) => navigate(hrefOfBuild(data, made.id)),
            // It is there, and can be built from its own page.
            onError: () => navigate(hrefOfActor(data, 'builds')),
          },
        ),
    });
  return (
    <FormDialog
      title={makeMineDialog.title(actor.title || actor.name)}
      text={makeMineDialog.text}
      width={520}
      action={makeMineDialog.confirm}
      isBusy={create.isPending || build.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <ActorNameField
        label={makeMineDialog.name}
        help={makeMineDialog.nameHelp}
        value={name}
        onValue={setName}
      />
    </FormDialog>
  );
}

function hasSource({ sourceFiles, gitRepoUrl, tarballUrl, gitHubGistUrl }: ActorVersion): boolean {
  return Boolean(sourceFiles ?? gitRepoUrl ?? tarballUrl ?? gitHubGistUrl);
}

function copyCall(actor: ActorDetail, versions: readonly ActorVersion[], name: string): Call {
  const { title, description, defaultRunOptions } = actor;
  return {
    api: 'actors',
    method: 'POST',
    path: '/actors',
    body: {
      name,
      ...(title && { title }),
      ...(description && { description }),
      defaultRunOptions,
      versions: versions.map(sourceOf),
    },
  };
}

function sourceOf(version: ActorVersion) {
  const { versionNumber, sourceType, buildTag, sourceFiles, gitRepoUrl, tarballUrl, gitHubGistUrl } = version;
  return {
    versionNumber,
    sourceType,
    ...(buildTag && { buildTag }),
    ...(sourceFiles && { sourceFiles }),
    ...(gitRepoUrl && { gitRepoUrl }),
    ...(tarballUrl && { tarballUrl }),
    ...(gitHubGistUrl && { gitHubGistUrl }),
  };
}
