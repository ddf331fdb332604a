#!/usr/bin/env bash
# What CI does, on any build server: ask this code's pipeline, unless that was done before, and decide against the baseline.
#
#   bash surefoot.sh            the exit code is the worst of both gates: 2 usage, 1 BLOCK, 4 incomplete, 3 look at it
#   bash surefoot.sh version    what this code is called: a hash of every file in git here but those in eval/
#
# eval/ is in git: baseline.jsonl, labels.jsonl, decisions.jsonl. What CI makes is in surefoot-out/.
set -uo pipefail
run=(--pipeline pipeline:answer --questions questions.json) # add --repeats 5 if it does not always answer alike
grade=(--grader local)

if [ -z "$(git ls-files -- . ':!eval')" ]; then echo "no file here is in git: git add them first" >&2 && exit 2; fi
version=$(git ls-files -z -- . ':!eval' | xargs -0 sha256sum | git hash-object --stdin | cut -c1-12)
if [ "${1:-}" = version ]; then echo "$version" && exit; fi

out=surefoot-out
mkdir -p "$out"
again=(--version "$version")
if grep -qs "\"version\":\"$version\"" "$out/decision.jsonl"; then # from a cache, or the artifact of an earlier job
  again=(--resume "$version")
fi
for file in eval/*.jsonl "$out/decision.jsonl"; do
  if [ -s "$file" ]; then surefoot import "$file" || exit 4; fi
done

surefoot run "${again[@]}" "${run[@]}"
asked=$?
if [ "$asked" != 0 ] && [ "$asked" != 4 ]; then exit "$asked"; fi
surefoot grade "$version" "${grade[@]}" > /dev/null
surefoot export "$out/run.jsonl" "$version"

surefoot score --traces "$out/run.jsonl" --questions questions.json --rerun all --gate gate.toml \
  --report "$out/score.md" --report "$out/score.xml"
score=$?
rm -f "$out/summary.md"
GITHUB_STEP_SUMMARY="$out/summary.md" surefoot gate "$version" --gate ship.toml --format github \
  --report "$out/page.html" --report "$out/gate.xml"
gate=$?
if [ -s "$out/summary.md" ]; then
  surefoot export "$out/decision.jsonl" --decision latest
else
  echo "**No decision** - there is no baseline, or the gate could not read the runs: see the log." > "$out/summary.md"
fi

if [ "$gate" = 3 ]; then printf '\nTo look: take decision.jsonl from the artifact, and `surefoot label decision.jsonl`.\n' >> "$out/summary.md"; fi
worst=0
for code in 3 4 1 2; do
  if [ "$score" = "$code" ] || [ "$gate" = "$code" ]; then worst=$code; fi
done
if [ "$score" != 0 ]; then # the comment begins with the worse of the two; the other has the line below
  first=$(grep -sm1 '^\*\*' "$out/score.md" || echo "**No score** - see the log.")
  first=${first/ - / - the score gate: }
  other=$(grep -m1 '^\*\*' "$out/summary.md")
  other=${other/ - / - against the baseline: }
  rest=$(grep -v '^# Surefoot\|^\*\*' "$out/summary.md")
  if [ "$gate" = "$worst" ]; then swap=$first first=$other other=$swap; fi
  printf '%s\n\n%s\n%s\n' "$first" "${other//\*\*/}" "$rest" > "$out/summary.md"
fi
if [ -s "$out/summary.md" ]; then cat "$out/summary.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"; fi
exit "$worst"
