// Decides as upstream's horizontal-pod-autoscaler does, and prints what it decides: a line for each case of a JSON list.
// Run it in test/real: go run ../../hack/print-autoscaler-decisions.go < cases.json
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
	"k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

//go:linkname normalize k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).normalizeDesiredReplicas
func normalize(*podautoscaler.HorizontalController, *autoscalingv2.HorizontalPodAutoscaler, string, int32, int32, int32) int32

//go:linkname normalizeByRules k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).normalizeDesiredReplicasWithBehaviors
func normalizeByRules(*podautoscaler.HorizontalController, *autoscalingv2.HorizontalPodAutoscaler, string, int32, int32, int32) int32

//go:linkname storeScaleEvent k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).storeScaleEvent
func storeScaleEvent(*podautoscaler.HorizontalController, *autoscalingv2.HorizontalPodAutoscalerBehavior, string, int32, int32)

// number is an int64 as a text: JSON has no such numbers.
type number string

func (n number) value() int64 {
	value, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

type sample struct {
	Value    number
	AgoMs    int64
	WindowMs int64
}

// past is a number and how long ago it was.
type past struct {
	Replicas int32
	AgoMs    int64
	Outdated bool
}

type testCase struct {
	Kind string
	// metrics
	Source    string
	Resource  string
	Container string
	Current   int32
	Status    int32
	Target    number
	Percent   int32
	Down, Up  float64
	Pods      []v1.Pod
	Metrics   map[string]sample
	Values    []number
	CPUInitMs int64
	ReadyMs   int64
	// Times of pods are those of this moment.
	NowMs int64
	// steps
	Behavior         *autoscalingv2.HorizontalPodAutoscalerBehavior
	Minimum, Maximum int32
	Wanted           int32
	WindowMs         int64
	Recommendations  []past
	UpEvents         []past
	DownEvents       []past
	// quantities
	Text string
}

// fakeMetrics has what the case says.
type fakeMetrics struct {
	samples metrics.PodMetricsInfo
	values  []int64
}

func (f fakeMetrics) GetResourceMetric(context.Context, v1.ResourceName, string, labels.Selector, string) (metrics.PodMetricsInfo, time.Time, error) {
	return f.samples, time.Time{}, nil
}
func (f fakeMetrics) GetRawMetric(string, string, labels.Selector, labels.Selector) (metrics.PodMetricsInfo, time.Time, error) {
	return f.samples, time.Time{}, nil
}
func (f fakeMetrics) GetObjectMetric(string, string, *autoscalingv2.CrossVersionObjectReference, labels.Selector) (int64, time.Time, error) {
	return f.values[0], time.Time{}, nil
}
func (f fakeMetrics) GetExternalMetric(string, string, labels.Selector) ([]int64, time.Time, error) {
	return f.values, time.Time{}, nil
}

func ms(value int64) time.Duration { return time.Duration(value) * time.Millisecond }

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, c := range cases {
		line, err := json.Marshal(answer(c))
		if err != nil {
			panic(err)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
}

func answer(c testCase) (result any) {
	defer func() {
		if failure := recover(); failure != nil {
			result = fmt.Sprint("panic: ", failure)
		}
	}()
	switch c.Kind {
	case "metric":
		return decide(c)
	case "step":
		return step(c)
	case "event":
		return event(c)
	case "quantity":
		quantity := resource.MustParse(c.Text)
		if quantity.Format == resource.BinarySI {
			return []string{strconv.FormatInt(quantity.MilliValue(), 10)}
		}
		return []string{strconv.FormatInt(quantity.MilliValue(), 10), strconv.FormatUint(math.Float64bits(quantity.AsApproximateFloat64()), 16)}
	}
	panic(c.Kind)
}

func decide(c testCase) any {
	// Upstream asks the real clock: what the case has is moved to the present.
	moved := time.Since(time.UnixMilli(c.NowMs))
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for i := range c.Pods {
		pod := &c.Pods[i]
		if pod.Status.StartTime != nil {
			pod.Status.StartTime = &metav1.Time{Time: pod.Status.StartTime.Add(moved)}
		}
		for j := range pod.Status.Conditions {
			if at := &pod.Status.Conditions[j].LastTransitionTime; !at.IsZero() {
				*at = metav1.Time{Time: at.Add(moved)}
			}
		}
		if err := indexer.Add(pod); err != nil {
			panic(err)
		}
	}
	now := time.UnixMilli(c.NowMs).Add(moved)
	fake := fakeMetrics{samples: metrics.PodMetricsInfo{}}
	for name, each := range c.Metrics {
		fake.samples[name] = metrics.PodMetric{Timestamp: now.Add(-ms(each.AgoMs)), Window: ms(each.WindowMs), Value: each.Value.value()}
	}
	for _, each := range c.Values {
		fake.values = append(fake.values, each.value())
	}
	calculator := podautoscaler.NewReplicaCalculator(fake, corelisters.NewPodLister(indexer), ms(c.CPUInitMs), ms(c.ReadyMs))
	tolerances := *(*podautoscaler.Tolerances)(unsafe.Pointer(&[2]float64{c.Down, c.Up}))
	everything := labels.Everything()
	var replicas, utilization int32
	var usage int64
	var err error
	switch c.Source {
	case "utilization":
		replicas, utilization, usage, _, err = calculator.GetResourceReplicas(context.Background(), c.Current, c.Percent, v1.ResourceName(c.Resource), tolerances, "team", everything, c.Container)
	case "average":
		replicas, usage, _, err = calculator.GetRawResourceReplicas(context.Background(), c.Current, c.Target.value(), v1.ResourceName(c.Resource), tolerances, "team", everything, c.Container)
	case "pods":
		replicas, usage, _, err = calculator.GetMetricReplicas(c.Current, c.Target.value(), "m", tolerances, "team", everything, everything)
	case "object":
		replicas, usage, _, err = calculator.GetObjectMetricReplicas(c.Current, c.Target.value(), "m", tolerances, "team", &autoscalingv2.CrossVersionObjectReference{}, everything, everything)
	case "objectPerPod":
		replicas, usage, _, err = calculator.GetObjectPerPodMetricReplicas(c.Status, c.Target.value(), "m", tolerances, "team", &autoscalingv2.CrossVersionObjectReference{}, everything)
	case "external":
		replicas, usage, _, err = calculator.GetExternalMetricReplicas(c.Current, c.Target.value(), "m", tolerances, "team", nil, everything)
	case "externalPerPod":
		replicas, usage, _, err = calculator.GetExternalPerPodMetricReplicas(c.Status, c.Target.value(), "m", tolerances, "team", nil)
	default:
		panic(c.Source)
	}
	if err != nil {
		return err.Error()
	}
	return []string{strconv.Itoa(int(replicas)), strconv.Itoa(int(utilization)), strconv.FormatInt(usage, 10)}
}

// set gives a field that only upstream's package can name.
func set(controller *podautoscaler.HorizontalController, name string, fill func(reflect.Value)) reflect.Value {
	field := reflect.ValueOf(controller).Elem().FieldByName(name)
	field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	fill(field)
	return field
}

func open(value reflect.Value) reflect.Value {
	return reflect.NewAt(value.Type(), unsafe.Pointer(value.UnsafeAddr())).Elem()
}

// history fills a map of slices of structs whose first two fields are a number and a time.
func history(controller *podautoscaler.HorizontalController, name string, items []past, now time.Time) reflect.Value {
	return set(controller, name, func(field reflect.Value) {
		field.Set(reflect.MakeMap(field.Type()))
		slice := reflect.MakeSlice(field.Type().Elem(), len(items), len(items))
		for i, item := range items {
			element := slice.Index(i)
			open(element.Field(0)).SetInt(int64(item.Replicas))
			open(element.Field(1)).Set(reflect.ValueOf(now.Add(-ms(item.AgoMs))))
			if element.NumField() > 2 {
				open(element.Field(2)).SetBool(item.Outdated)
			}
		}
		field.SetMapIndex(reflect.ValueOf("key"), slice)
	})
}

func controllerOf(c testCase) *podautoscaler.HorizontalController {
	now := time.Now()
	controller := &podautoscaler.HorizontalController{}
	set(controller, "downscaleStabilisationWindow", func(field reflect.Value) { field.SetInt(int64(ms(c.WindowMs))) })
	history(controller, "recommendations", c.Recommendations, now)
	history(controller, "scaleUpEvents", c.UpEvents, now)
	history(controller, "scaleDownEvents", c.DownEvents, now)
	return controller
}

// kept are the numbers of a history, and whether they are outdated.
func kept(controller *podautoscaler.HorizontalController, name string) []string {
	result := []string{}
	set(controller, name, func(field reflect.Value) {
		slice := field.MapIndex(reflect.ValueOf("key"))
		for i := 0; i < slice.Len(); i++ {
			element := slice.Index(i)
			text := strconv.FormatInt(element.Field(0).Int(), 10)
			if element.NumField() > 2 && element.Field(2).Bool() {
				text += " outdated"
			}
			result = append(result, text)
		}
	})
	return result
}

func step(c testCase) any {
	controller := controllerOf(c)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: c.Maximum, Behavior: c.Behavior}}
	var replicas int32
	if c.Behavior == nil {
		replicas = normalize(controller, hpa, "key", c.Current, c.Wanted, c.Minimum)
	} else {
		replicas = normalizeByRules(controller, hpa, "key", c.Current, c.Wanted, c.Minimum)
	}
	result := []string{strconv.Itoa(int(replicas))}
	for _, condition := range hpa.Status.Conditions {
		result = append(result, fmt.Sprint(condition.Type, " ", condition.Status, " ", condition.Reason, " ", condition.Message))
	}
	return append(result, kept(controller, "recommendations")...)
}

func event(c testCase) any {
	controller := controllerOf(c)
	storeScaleEvent(controller, c.Behavior, "key", c.Current, c.Wanted)
	return [][]string{kept(controller, "scaleUpEvents"), kept(controller, "scaleDownEvents")}
}
