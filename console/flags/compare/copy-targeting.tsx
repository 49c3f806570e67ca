// From the page of a flag: copies its targeting to another environment, through the same dialog as the comparison.
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { EnvironmentName } from '../environment-name.tsx';
import type { Flag } from '../flag.ts';
import { recentEnvironments } from '../last-place.ts';
import { TARGETING_ACTIONS, useFlagPermissions } from '../permissions.ts';
import type { Environment } from '../queries.ts';
import { PlacePicker } from '../switcher/place-picker.tsx';
import { SWITCHER_WORDS } from '../switcher/switcher-words.ts';
import { COPY } from './compare-words.ts';

const CopyDialog = lazy(async () => ({ default: (await import('./copy-dialog.tsx')).CopyDialog }));

/** All but the switch: nothing is turned on by it. */
const PARTS = ['prerequisites', 'targets', 'rules', 'fallthrough', 'offVariation'];

interface CopyTargetingProps {
  project: string;
  flag: Flag;
  from: Environment;
  environments: readonly Environment[];
  /** Only what is saved is copied. */
  hasDraft: boolean;
}

export function CopyTargeting({ project, flag, from, environments, hasDraft }: CopyTargetingProps) {
  const [to, setTo] = useState<string>();
  const { may } = useFlagPermissions(project, flag.key);
  const others = environments.filter(({ key }) => key !== from.key);
  if (others.length === 0 || !may(...TARGETING_ACTIONS)) return null;
  const close = () => setTo(undefined);
  return (
    <>
      <Popover
        label={COPY.target}
        trigger={
          <Button size="sm" icon="copy" hasCaret disabledReason={hasDraft ? COPY.draftFirst : undefined}>
            {COPY.button}
          </Button>
        }
      >
        {(closePopover) => (
          <PlacePicker
            items={others}
            current=""
            recent={recentEnvironments(project).filter((key) => key !== from.key)}
            words={{ find: SWITCHER_WORDS.findEnvironment, none: SWITCHER_WORDS.noEnvironment }}
            show={showEnvironment}
            onChoose={(key) => {
              closePopover();
              setTo(key);
            }}
          />
        )}
      </Popover>
      {to !== undefined && (
        <Suspense>
          <CopyDialog
            project={project}
            plan={{
              from: from.key,
              to: [to],
              flags: [{ key: flag.key, parts: PARTS, version: flag.version }],
            }}
            environments={environments}
            names={new Map([[flag.key, flag.name]])}
            onClose={close}
            onCopied={() => undefined}
          />
        </Suspense>
      )}
    </>
  );
}

function showEnvironment(environment: Environment) {
  return <EnvironmentName environment={environment} />;
}
