// Evaluates expressions as the real API server does, and prints what it says of each: a value, or an error, with costs.
// Reads a JSON list of expressions. Run it in test/real: go run ../../hack/print-cel-answers.go < expressions.json
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type answer struct {
	Compile string      `json:"compile,omitempty"`
	Type    string      `json:"type,omitempty"`
	Error   string      `json:"error,omitempty"`
	Value   interface{} `json:"value,omitempty"`
	Cost    uint64      `json:"cost,omitempty"`
	Min     string      `json:"min,omitempty"`
	Max     string      `json:"max,omitempty"`
}

// sizes tells of the sample variables how large they may be.
type sizes struct{}

func (sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	max := map[string]uint64{"s": 10, "l": 5, "l.@items": 7, "m": 3, "m.@keys": 4, "m.@values": 9}
	if size, found := max[strings.Join(element.Path(), ".")]; found {
		return &checker.SizeEstimate{Min: 0, Max: size}
	}
	return nil
}

func (sizes) EstimateCallCost(function, overloadID string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	return nil
}

var variables = map[string]interface{}{
	"i": int64(7),
	"s": "text",
	"l": []string{"b", "a"},
	"m": map[string]string{"k": "v"},
	"d": map[string]interface{}{"n": int64(1), "f": 1.5, "t": "x", "list": []interface{}{int64(1), "two"}, "empty": map[string]interface{}{}},
}

func main() {
	var expressions []string
	if err := json.NewDecoder(os.Stdin).Decode(&expressions); err != nil {
		panic(err)
	}
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("i", cel.IntType),
			cel.Variable("s", cel.StringType),
			cel.Variable("l", cel.ListType(cel.StringType)),
			cel.Variable("m", cel.MapType(cel.StringType, cel.StringType)),
			cel.Variable("d", cel.DynType),
		},
	})
	if err != nil {
		panic(err)
	}
	env, err := set.Env(environment.NewExpressions)
	if err != nil {
		panic(err)
	}
	answers := make([]answer, len(expressions))
	for index, expression := range expressions {
		answers[index] = evaluate(env, expression)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.Encode(answers)
}

func evaluate(env *cel.Env, expression string) (result answer) {
	defer func() {
		if failure := recover(); failure != nil {
			result.Error = fmt.Sprint("panic: ", failure)
		}
	}()
	ast, issues := env.Compile(expression)
	if issues != nil && issues.Err() != nil {
		return answer{Compile: issues.String()}
	}
	result.Type = ast.OutputType().String()
	if estimate, err := env.EstimateCost(ast, &library.CostEstimator{SizeEstimator: sizes{}}); err == nil {
		result.Min, result.Max = fmt.Sprint(estimate.Min), fmt.Sprint(estimate.Max)
	}
	program, err := env.Program(ast)
	if err != nil {
		result.Error = "program: " + err.Error()
		return result
	}
	value, details, err := program.Eval(variables)
	if details != nil && details.ActualCost() != nil {
		result.Cost = *details.ActualCost()
	}
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.Value = plain(value)
	return result
}

// plain writes a value with its type, so that 1, 1u and 1.0 differ.
func plain(value ref.Val) interface{} {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return bool(v)
	case types.Int:
		return fmt.Sprintf("int %d", int64(v))
	case types.Uint:
		return fmt.Sprintf("uint %d", uint64(v))
	case types.Double:
		return fmt.Sprintf("double %v", float64(v))
	case types.String:
		return "string " + string(v)
	case types.Bytes:
		return "bytes " + base64.StdEncoding.EncodeToString(v)
	case types.Duration:
		return fmt.Sprintf("duration %d", v.Nanoseconds())
	case types.Timestamp:
		return "timestamp " + v.UTC().Format(time.RFC3339Nano)
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return map[string]interface{}{"some": plain(v.GetValue())}
	case ref.Type:
		return "type " + v.TypeName()
	case traits.Lister:
		items := []interface{}{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, plain(it.Next()))
		}
		return items
	case traits.Mapper:
		entries := [][]interface{}{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, []interface{}{plain(key), plain(v.Get(key))})
		}
		sort.Slice(entries, func(i, j int) bool { return fmt.Sprint(entries[i][0]) < fmt.Sprint(entries[j][0]) })
		return map[string]interface{}{"map": entries}
	}
	return "opaque " + value.Type().TypeName()
}
