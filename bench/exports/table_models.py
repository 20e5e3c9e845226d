"""Models of scikit-learn, XGBoost and LightGBM, trained on made-up tables."""
import numpy


def trained(name):
    from sklearn import (cluster, datasets, decomposition, ensemble, gaussian_process, linear_model, naive_bayes, neighbors, neural_network,
                         pipeline, preprocessing, svm, compose)
    x, y = datasets.make_classification(600, 20, n_informative=10, n_classes=3, random_state=0)
    line = datasets.make_regression(600, 20, noise=1, random_state=1)
    x = x.astype(numpy.float32)
    scaled = lambda last: pipeline.make_pipeline(preprocessing.StandardScaler(), last)
    makers = {
        "logistic": lambda: scaled(linear_model.LogisticRegression(max_iter=500)), "forest": lambda: ensemble.RandomForestClassifier(50, max_depth=8),
        "forest zipmap": lambda: ensemble.RandomForestClassifier(50, max_depth=8), "boosting": lambda: ensemble.GradientBoostingClassifier(n_estimators=30),
        "histogram": lambda: ensemble.HistGradientBoostingClassifier(max_iter=30), "mlp": lambda: scaled(neural_network.MLPClassifier((64, 32), max_iter=60)),
        "svc": lambda: scaled(svm.SVC(probability=True)), "svr": lambda: scaled(svm.SVR()), "knn": lambda: neighbors.KNeighborsClassifier(5),
        "bayes": naive_bayes.GaussianNB, "kmeans": lambda: cluster.KMeans(5, n_init=2), "linear": linear_model.Ridge,
        "pca pipeline": lambda: pipeline.make_pipeline(preprocessing.MinMaxScaler(), decomposition.PCA(8), linear_model.LogisticRegression()),
        "columns": lambda: pipeline.make_pipeline(compose.make_column_transformer((preprocessing.StandardScaler(), list(range(10))),
                                                                                  (preprocessing.RobustScaler(), list(range(10, 20)))),
                                                  ensemble.ExtraTreesClassifier(30, max_depth=6)),
        "isolation": lambda: ensemble.IsolationForest(n_estimators=30), "gaussian process": gaussian_process.GaussianProcessRegressor,
        "polynomial": lambda: pipeline.make_pipeline(preprocessing.PolynomialFeatures(2), linear_model.Ridge()),
    }
    regressors = ("svr", "linear", "gaussian process", "polynomial")
    data, target = (line[0].astype(numpy.float32), line[1]) if name in regressors else (x, y)
    if name in makers:
        model = makers[name]()
    elif name == "xgboost":
        import xgboost
        model = xgboost.XGBClassifier(n_estimators=50)
    else:
        import lightgbm
        model = lightgbm.LGBMClassifier(n_estimators=50, verbose=-1)
    return model.fit(data[:300], target[:300])


def write(path, name):
    import onnx
    model = trained(name)
    if name in ("xgboost", "lightgbm"):
        import onnxmltools
        from onnxmltools.convert.common.data_types import FloatTensorType
        kind = [("x", FloatTensorType([None, 20]))]
        made = onnxmltools.convert_xgboost(model, initial_types=kind) if name == "xgboost" else onnxmltools.convert_lightgbm(model, initial_types=kind)
        return onnx.save(made, path)
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType
    is_classifier = hasattr(model, "predict_proba") and name != "forest zipmap"
    options = {id(model): {"zipmap": False}} if is_classifier else None
    return onnx.save(to_onnx(model, initial_types=[("x", FloatTensorType([None, 20]))], options=options, target_opset={"": 18, "ai.onnx.ml": 3}), path)
