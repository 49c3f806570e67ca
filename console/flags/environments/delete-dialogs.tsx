// Deletes an environment or a project, after showing what goes with it and after its key was typed.
import { path, type Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { Status } from '../../ui/status.tsx';
import { toast } from '../../ui/toast-store.ts';
import {
  CHANGED,
  environmentPath,
  useSdkActive,
  useTotal,
  type EnvironmentDetail,
  type ProjectDetail,
} from './environments-queries.ts';
import { DELETE_WORDS, RESET_WORDS } from './environments-words.ts';

interface DeleteProps {
  onClose: () => void;
  onDeleted: () => void;
}

function useDelete(call: Call, name: string, onDeleted: () => void) {
  useSayDraft(call);
  const change = useChange<Call>((one) => one, [...CHANGED, 'flag', 'segment']);
  const run = () =>
    change.mutate(call, {
      onSuccess: () => {
        onDeleted();
        toast({ text: DELETE_WORDS.done(name) });
      },
    });
  return { run, isBusy: change.isPending, error: change.error ?? undefined };
}

export function DeleteEnvironmentDialog(
  props: DeleteProps & { project: ProjectDetail; environment: EnvironmentDetail },
) {
  const { project, environment, onClose, onDeleted } = props;
  const { key, name } = environment;
  const segments = useTotal(path`/segments/${project.key}/${key}`);
  const activity = useSdkActive(project.key, key);
  const { run, isBusy, error } = useDelete(
    { api: 'flags', method: 'DELETE', path: environmentPath(project.key, key) },
    name,
    onDeleted,
  );
  return (
    <ConfirmDialog
      title={DELETE_WORDS.environment(name)}
      tone={environment.critical ? 'production' : 'danger'}
      confirmLabel={DELETE_WORDS.environmentConfirm}
      typeToConfirm={key}
      isBusy={isBusy}
      disabledReason={segments.isPending || activity.isPending ? DELETE_WORDS.reading : undefined}
      error={error}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{DELETE_WORDS.environmentText}</p>
      <p>{DELETE_WORDS.breaks}</p>
      <ul className="plain-list">
        <li>{DELETE_WORDS.environmentKeys}</li>
        {segments.data !== undefined && (
          <li>{DELETE_WORDS.segments(formatCount(segments.data.totalCount))}</li>
        )}
      </ul>
      {activity.data !== undefined && (
        <Status tone={activity.data.active ? 'warn' : 'neutral'}>
          {activity.data.active ? RESET_WORDS.active : RESET_WORDS.inactive}
        </Status>
      )}
    </ConfirmDialog>
  );
}

export function DeleteProjectDialog({
  project,
  onClose,
  onDeleted,
}: DeleteProps & { project: ProjectDetail }) {
  const { key, name } = project;
  const flags = useTotal(path`/flags/${key}`);
  const environments = useTotal(path`/projects/${key}/environments`);
  const { run, isBusy, error } = useDelete(
    { api: 'flags', method: 'DELETE', path: path`/projects/${key}` },
    name,
    onDeleted,
  );
  return (
    <ConfirmDialog
      title={DELETE_WORDS.project(name)}
      tone="danger"
      confirmLabel={DELETE_WORDS.projectConfirm}
      typeToConfirm={key}
      isBusy={isBusy}
      disabledReason={flags.isPending || environments.isPending ? DELETE_WORDS.reading : undefined}
      error={error}
      onConfirm={run}
      onClose={onClose}
    >
      <p>{DELETE_WORDS.projectText}</p>
      <p>{DELETE_WORDS.breaks}</p>
      <ul className="plain-list">
        {flags.data !== undefined && <li>{DELETE_WORDS.flags(formatCount(flags.data.totalCount))}</li>}
        {environments.data !== undefined && (
          <li>{DELETE_WORDS.environments(formatCount(environments.data.totalCount))}</li>
        )}
        <li>{DELETE_WORDS.projectKeys}</li>
      </ul>
    </ConfirmDialog>
  );
}
