// A new Actor with a small program, so that it can be built and run at once.
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextInput } from '../../ui/input.tsx';
import { ActorNameField } from '../actor-name-field.tsx';
import { hrefOfActor, type ActorShort } from '../queries.ts';
import { ACTORS_WORDS } from './actors-words.ts';

const MAIN = `// What it prints is the log of its run. The environment says where its storages are.
console.log('INFO Hello from', process.env.ACTOR_RUN_ID);
`;

function starterFiles(name: string) {
  const text = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
  const definition = { actorSpecification: 1, name, version: '0.1', buildTag: 'latest' };
  return [
    {
      name: 'package.json',
      format: 'TEXT',
      content: text({ type: 'module', scripts: { start: 'node main.js' } }),
    },
    { name: '.actor/actor.json', format: 'TEXT', content: text(definition) },
    { name: 'main.js', format: 'TEXT', content: MAIN },
  ];
}

function createCall(name: string, title: string): Call {
  return {
    api: 'actors',
    method: 'POST',
    path: '/actors',
    body: {
      name,
      ...(title !== '' && { title }),
      versions: [
        {
          versionNumber: '0.1',
          buildTag: 'latest',
          sourceType: 'SOURCE_FILES',
          sourceFiles: starterFiles(name),
        },
      ],
    },
  };
}

export function CreateActorDialog({ onClose }: { onClose: () => void }) {
  const { createDialog } = ACTORS_WORDS;
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [, navigate] = useLocation();
  const create = useChange<void, { data: ActorShort }>(
    () => createCall(name.trim(), title.trim()),
    ['actor'],
  );
  useSayDraft(createCall(name.trim(), title.trim()));
  return (
    <FormDialog
      title={createDialog.title}
      text={createDialog.text}
      width={520}
      action={createDialog.confirm}
      isBusy={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={() =>
        create.mutate(undefined, { onSuccess: ({ data }) => navigate(hrefOfActor(data, 'source')) })
      }
    >
      <ActorNameField label={createDialog.name} help={createDialog.nameHelp} value={name} onValue={setName} />
      <Field label={createDialog.titleField} optional>
        <TextInput maxLength={200} value={title} onValue={setTitle} />
      </Field>
    </FormDialog>
  );
}
