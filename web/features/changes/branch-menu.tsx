import { GitBranch } from 'lucide-react'
import { changesStrings } from '../../strings/changes.ts'
import { Button } from '../../ui/button.tsx'
import { MenuContent, MenuItem, MenuLabel, MenuRoot, MenuTrigger } from '../../ui/menu.tsx'
import { toast } from '../../ui/toast.tsx'

const words = changesStrings.git

interface Props {
  branch: string
  /** What it is merged into. */
  into: string | null
  /** It is a branch of the repository that the work began from. */
  isInRepository: boolean
}

/** Where what is committed is, and how to get there. */
export function BranchMenu({ branch, into, isInRepository }: Props) {
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      toast(words.copied)
    } catch {
      toast(words.notCopied, { isProblem: true })
    }
  }
  return (
    <MenuRoot>
      <MenuTrigger asChild>
        <Button look="quiet" className="min-w-0 shrink! px-1.5!">
          <GitBranch size={14} aria-hidden className="shrink-0" />
          <span className="sr-only">{words.branch}:</span>
          <bdi className="min-w-0 truncate font-mono text-small">{branch}</bdi>
          {into && <bdi className="shrink-0 text-small text-mute">{words.into(into)}</bdi>}
        </Button>
      </MenuTrigger>
      <MenuContent>
        {isInRepository && <MenuLabel>{words.branchHint(branch)}</MenuLabel>}
        <MenuItem onSelect={() => void copy(branch)}>{words.copyName}</MenuItem>
        {isInRepository && (
          <MenuItem onSelect={() => void copy(`git switch ${branch}`)}>{words.copySwitch}</MenuItem>
        )}
      </MenuContent>
    </MenuRoot>
  )
}
