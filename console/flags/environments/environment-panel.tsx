// One environment beside the list: its keys, its settings and its approvals.
import { useState } from 'react';
import { useMay } from '../../app/me.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { SidePanel } from '../../lib/side-panel.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Skeleton } from '../../ui/states.tsx';
import { Badge, Key, Tag } from '../../ui/status.tsx';
import { EnvironmentDot } from '../environment-name.tsx';
import { ApprovalDialog, approvalText } from './approval-dialog.tsx';
import { DeleteEnvironmentDialog } from './delete-dialogs.tsx';
import { EnvironmentDialog } from './environment-dialog.tsx';
import { EnvironmentKeys } from './environment-keys.tsx';
import {
  approvalsOf,
  environmentResource,
  useEnvironmentDetail,
  type ApprovedKind,
  type EnvironmentDetail,
  type ProjectDetail,
} from './environments-queries.ts';
import { APPROVAL_WORDS, ENV_WORDS, FORM_WORDS, PAGE_WORDS } from './environments-words.ts';

export interface EnvironmentPanelProps {
  project: ProjectDetail;
  environment: string;
  onClose: () => void;
}

export function EnvironmentPanel({ project, environment: key, onClose }: EnvironmentPanelProps) {
  const { data: environment, error, refetch } = useEnvironmentDetail(project.key, key);
  if (environment !== undefined)
    return <OpenEnvironment project={project} environment={environment} onClose={onClose} />;
  return (
    <SidePanel title={key} onClose={onClose}>
      <section>
        {error === null ? (
          <Skeleton lines={8} />
        ) : (
          <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
        )}
      </section>
    </SidePanel>
  );
}

interface OpenEnvironmentProps {
  project: ProjectDetail;
  environment: EnvironmentDetail;
  onClose: () => void;
}

const APPROVED: readonly ApprovedKind[] = ['flag', 'segment'];
const ACTIONS = ['updateName', 'updateApprovalSettings', 'deleteEnvironment'];

function OpenEnvironment({ project, environment, onClose }: OpenEnvironmentProps) {
  const { key, name, color } = environment;
  const [act, setAct] = useState<'edit' | 'delete' | ApprovedKind>();
  const resource = environmentResource(project, environment);
  const may = useMay(ACTIONS.map((action) => ({ action, resource })));
  const [mayEdit = false, maySetApproval = false, mayDelete = false] = may ?? [];
  const close = () => setAct(undefined);
  useKeys({ e: () => setAct('edit') }, { isOn: mayEdit });
  return (
    <SidePanel
      title={name}
      text={<Key copyLabel={PAGE_WORDS.copyKey(key)}>{key}</Key>}
      mark={<EnvironmentDot color={color} />}
      onClose={onClose}
      footer={
        <>
          <ButtonLink
            icon="flag"
            href={`/flags/${encodeURIComponent(project.key)}?env=${encodeURIComponent(key)}`}
          >
            {ENV_WORDS.flags}
          </ButtonLink>
          {mayEdit && (
            <Button icon="pen" keys="e" onClick={() => setAct('edit')}>
              {ENV_WORDS.edit}
            </Button>
          )}
          {mayDelete && (
            <Button tone="danger" icon="trash" onClick={() => setAct('delete')}>
              {ENV_WORDS.delete}
            </Button>
          )}
        </>
      }
    >
      <section>
        <h3 className="h4">{ENV_WORDS.keys}</h3>
        <EnvironmentKeys project={project} environment={environment} />
      </section>
      <section>
        <h3 className="h4">{ENV_WORDS.settings}</h3>
        <Settings environment={environment} />
      </section>
      <section>
        <h3 className="h4">{ENV_WORDS.approval}</h3>
        {APPROVED.map((kind) => (
          <div key={kind} className="row row--wrap">
            <span className="t13 w5">{APPROVAL_WORDS.kinds[kind]}</span>
            <span className="grow t13">{approvalText(approvalsOf(environment, kind))}</span>
            {maySetApproval && (
              <Button
                size="sm"
                tone="ghost"
                aria-label={APPROVAL_WORDS.edit(APPROVAL_WORDS.kinds[kind])}
                onClick={() => setAct(kind)}
              >
                {ENV_WORDS.edit}
              </Button>
            )}
          </div>
        ))}
      </section>
      {act === 'edit' && (
        <EnvironmentDialog project={project} environment={environment} onClose={close} onSaved={close} />
      )}
      {(act === 'flag' || act === 'segment') && (
        <ApprovalDialog project={project.key} environment={environment} kind={act} onClose={close} />
      )}
      {act === 'delete' && (
        <DeleteEnvironmentDialog
          project={project}
          environment={environment}
          onClose={close}
          onDeleted={onClose}
        />
      )}
    </SidePanel>
  );
}

function Settings({ environment }: { environment: EnvironmentDetail }) {
  const { critical, confirmChanges, requireComments, secureMode, defaultTrackEvents, defaultTtl, tags } =
    environment;
  const word = (isOn: boolean) => (isOn ? ENV_WORDS.on : ENV_WORDS.off);
  const guards = [
    ...(confirmChanges ? [PAGE_WORDS.confirms] : []),
    ...(requireComments ? [PAGE_WORDS.comments] : []),
  ];
  return (
    <KeyValues
      termWidth={140}
      items={[
        [
          FORM_WORDS.critical,
          critical ? (
            <Badge key="critical" tone="prod" icon="shield">
              {ENV_WORDS.yes}
            </Badge>
          ) : (
            ENV_WORDS.no
          ),
        ],
        [ENV_WORDS.changes, guards.length === 0 ? ENV_WORDS.noGuards : guards.join(', ')],
        [FORM_WORDS.secureMode, word(secureMode)],
        [FORM_WORDS.trackEvents, word(defaultTrackEvents)],
        [ENV_WORDS.ttl, ENV_WORDS.minutes(defaultTtl)],
        [
          ENV_WORDS.color,
          <span key="color" className="row row--4">
            <EnvironmentDot color={environment.color} />
            <code>#{environment.color}</code>
          </span>,
        ],
        ...(tags.length === 0
          ? []
          : [
              [
                FORM_WORDS.tags,
                <span key="tags" className="row row--4 row--wrap">
                  {tags.map((tag) => (
                    <Tag key={tag}>{tag}</Tag>
                  ))}
                </span>,
              ] as [string, React.ReactNode],
            ]),
      ]}
    />
  );
}
